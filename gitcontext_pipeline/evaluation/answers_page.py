"""The reviewer's page: each answer with its evidence on one HTML page that needs no server and no network."""

from __future__ import annotations

from pathlib import Path

from gitcontext_pipeline.evaluation.answers_report import AnswersReport
from gitcontext_pipeline.storage import write_atomic

TEMPLATE = "answers_page.html.j2"


def render_page(report: AnswersReport) -> str:
    """The page as HTML. All foreign text is escaped, and the page's policy lets nothing but its own script run."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(TEMPLATE).render(report=report, nonce=report.id)


def write_page(path: Path, report: AnswersReport) -> None:
    write_atomic(path, render_page(report))
