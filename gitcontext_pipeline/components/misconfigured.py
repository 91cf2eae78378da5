"""Why the YAML files of the project cannot be loaded, as one line a mistake: the file, the line, the field."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from gitcontext_pipeline.errors import UsageError

_LOCATED = re.compile(r"`?(?P<field>[^`]+?) at (?P<place>[^`]+:\d+)`?")
"""How Dagster writes where a field stands into the location of a validation error."""


def misconfigured(error: Exception, definitions: Path) -> UsageError:
    """What to tell whoever wrote the files below `definitions`; `error` is whatever Dagster raised over them."""
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    fix = "Correct it; `dg check defs` shows the lines around it."
    return UsageError("\n".join(_mistakes(cause, definitions)), fix=fix)


def _mistakes(error: Exception, definitions: Path) -> Iterator[str]:
    if isinstance(error, ValidationError):
        for each in error.errors():
            path = ".".join(str(part) for part in each["loc"])
            found = _LOCATED.fullmatch(path)
            place, field = (found["place"], found["field"]) if found else (str(definitions), path)
            yield f"{place}: {field}: {each['msg'].removeprefix('Value error, ')}"
    elif (mark := getattr(error, "problem_mark", None)) is not None:  # of PyYAML
        yield f"{mark.name}:{mark.line + 1}: {getattr(error, 'problem', error)}"
    else:
        yield f"{definitions}: {type(error).__name__}: {str(error).strip()}"
