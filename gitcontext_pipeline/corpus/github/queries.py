"""The GraphQL queries: many pull requests a call, with all that was said about them.

https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api: a page of BATCH costs about
20 of an hour's 5,000 points and names some 45,000 of the 500,000 nodes that a call may.
"""

from __future__ import annotations

from collections.abc import Sequence

BATCH = 40
"""Pull requests a call; fewer while the server cannot work out as many in its ten seconds."""
COMMITS = 100
"""Commits a call when asking which pull request brought them."""

_COMMENT = "fullDatabaseId author { __typename login } createdAt updatedAt body url isMinimized minimizedReason"
_REVIEW_COMMENTS = f"""
  pageInfo {{ hasNextPage endCursor }}
  nodes {{ {_COMMENT} diffHunk originalCommit {{ oid }} }}
"""
_THREADS = f"""
  pageInfo {{ hasNextPage endCursor }}
  nodes {{
    id isResolved path line originalLine startLine originalStartLine
    comments(first: 20) {{ {_REVIEW_COMMENTS} }}
  }}
"""
_COMMENTS = f"pageInfo {{ hasNextPage endCursor }} nodes {{ {_COMMENT} }}"
_REVIEWS = f"pageInfo {{ hasNextPage endCursor }} nodes {{ submittedAt {_COMMENT} }}"
_PULL = f"""
fragment pull on PullRequest {{
  id number title body url createdAt mergedAt updatedAt
  author {{ __typename login }}
  mergeCommit {{ oid }}
  labels(first: 50) {{ nodes {{ name }} }}
  closingIssuesReferences(first: 25) {{ nodes {{ number title url }} }}
  reviewThreads(first: 40) {{ {_THREADS} }}
  comments(first: 40) {{ {_COMMENTS} }}
  reviews(first: 20) {{ {_REVIEWS} }}
}}
"""
_REPOSITORY = "query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { nameWithOwner %s } }"

MORE = {
    "reviewThreads": f"... on PullRequest {{ reviewThreads(first: 40, after: $after) {{ {_THREADS} }} }}",
    "comments": f"... on PullRequest {{ comments(first: 100, after: $after) {{ {_COMMENTS} }} }}",
    "reviews": f"... on PullRequest {{ reviews(first: 100, after: $after) {{ {_REVIEWS} }} }}",
    "thread": f"... on PullRequestReviewThread {{ comments(first: 100, after: $after) {{ {_REVIEW_COMMENTS} }} }}",
}
"""What a further page of a list holds, by the list's name; `thread` is the list of one thread's comments."""


def pulls_query(numbers: Sequence[int]) -> str:
    """Pull requests as `p12`, `p13`, ...; null where the number is an issue's, or nothing's."""
    wanted = " ".join(f"p{number}: pullRequest(number: {number}) {{ ...pull }}" for number in numbers)
    return _REPOSITORY % wanted + _PULL


def commits_query(shas: Sequence[str]) -> str:
    """For each commit `c0`, `c1`, ... the pull requests that have to do with it."""
    pulls = "associatedPullRequests(first: 5) { nodes { number mergedAt mergeCommit { oid } } }"
    wanted = " ".join(
        f'c{position}: object(oid: "{sha}") {{ ... on Commit {{ {pulls} }} }}' for position, sha in enumerate(shas)
    )
    return _REPOSITORY % wanted


def more_query(what: str) -> str:
    """The next page of a list of the node `$id`."""
    return f"query($id: ID!, $after: String!) {{ node(id: $id) {{ {MORE[what]} }} }}"
