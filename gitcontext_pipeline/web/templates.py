"""The page's templates. Everything that is put into one is escaped."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jinja2

from gitcontext_pipeline.answer.evidence import printable, title
from gitcontext_pipeline.evaluation.measures import BY_KEY

_ROOT = re.compile(r"^(?:\S+?/blob/[0-9a-f]{40}/|git:[0-9a-f]{40}:)")
STATIC = Path(__file__).parent / "static"


def render(name: str, **values: Any) -> str:
    """The template `name` filled in."""
    return _environment().get_template(name).render(values)


def href(url: str) -> str | None:
    """The address if it leads somewhere on the web; a corpus without a repository has links that no browser opens."""
    return url if url.startswith("https://") else None


def day(date: str | None) -> str:
    """The day of an ISO 8601 date."""
    return (date or "")[:10]


def tail(url: str) -> str:
    """An address without the repository and the revision that all addresses of a corpus begin with."""
    return printable(unquote(_ROOT.sub("", url).replace("?plain=1#", "#")))


def metric(key: str) -> str:
    """The name of a metric, as it is written."""
    return BY_KEY[key].name if key in BY_KEY else key


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "day": day,
        "href": href,
        "metric": metric,
        "printable": printable,
        "tail": tail,
        "title_of": title,
    }
    environment.globals["static"] = _static
    return environment


@cache
def _static(name: str) -> str:
    """The address of a static file, another one whenever its content is."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"
