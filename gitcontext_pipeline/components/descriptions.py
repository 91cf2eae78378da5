"""What each asset of a corpus is, told to a person who opens it in the Dagster UI and never saw the project."""

from collections.abc import Mapping

ASSETS: Mapping[str, str] = {
    "golden_set": """
The questions that retrieval is measured by, each with the place that answers it: one JSON object a line, written and
reviewed by people. Nothing here changes it; an edit of the file is measured by the next run.
""",
    "baseline": """
Measurements that somebody froze, one file a revision, each with a name and a reason. `baseline_comparison` holds every
new measurement against the one of its revision. Moved by `gitcontext eval freeze` and by nothing else.
""",
    "repo_checkout": """
The repository at exactly the pinned commit, from the first origin that answers: a bare clone, or a released source
archive where the clone's server cannot be reached. Nothing of it is built or run. Every link and every answer is about
this commit.
""",
    "pr_cache": """
The merged pull requests up to the pinned commit, one row each: number, title, description, author, merge commit, files.
Read from the git history alone; where there is a token, GitHub adds descriptions, reviews and discussions. A release
archive has no history, so there are no rows.
""",
    "chunks": """
The table that is searched, one row a passage: a function, a class header, a section of the docs, a commit or a pull
request, with its exact lines and an immutable link. Every non-blank line of every indexed file is in a row, or left out
for a reason that is named below.
""",
    "vector_index": """
The meaning of every chunk as vectors, in LanceDB: so a question finds code that uses none of its words. Vectors are
cached by text, so only texts never seen before are embedded.
""",
    "bm25_index": """
The words of every chunk, weighted by BM25 in five fields (symbol, path, doc comment, body, history): so a question
finds the names and error messages it quotes.
""",
    "retrieval_report": """
How good the answers of these two indexes are: every question of the golden set is asked, and it counts at which rank
the labelled place comes back.

- **Hit@k**: the share of questions with their answer among the first k results
- **MRR**: the mean of 1/rank of the first right result
- **worst_cases**: where the answer was missed or came late, with links, and what came first instead
""",
    "baseline_comparison": """
The verdict on this measurement against the frozen baseline: pass, improvement or regression. The blocking check
`regression_gate` stops `published_index` when a gated number fell by more than the tolerance, so a worse index never
reaches those who ask. **gained_and_lost** names the questions that moved.
""",
    "published_index": """
The index that answers: this run's snapshot becomes the current one by one rename, after the gate let it through.
`gitcontext ask`, the job `ask` and all other surfaces read it. The two snapshots before it are kept, and
`gitcontext rollback` goes back to one of them.
""",
    "answer_report": """
What a local model makes of the evidence: the golden set is answered in prose, each sentence is checked against the
lines it cites, and what does not hold is withheld. This report counts what passed, what was withheld, and why.
""",
}


def description(asset: str) -> str:
    """Markdown."""
    return ASSETS[asset].strip()
