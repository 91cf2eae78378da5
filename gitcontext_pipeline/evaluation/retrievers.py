"""From what a user writes after `--retriever` to something that can be asked."""

from __future__ import annotations

import importlib
import inspect
import sys
from pathlib import Path
from typing import Any

from gitcontext_pipeline.errors import UsageError
from gitcontext_pipeline.evaluation.adapters import Retriever, adapt
from gitcontext_pipeline.evaluation.http_retriever import HttpRetriever
from gitcontext_pipeline.evaluation.process_retriever import ProcessRetriever

FORMS = "module:callable, module:Class, http://host/path, or exec:command"


def load_retriever(text: str) -> Retriever:
    """The retriever that `text` names.

    - `module:name` (a dotted name reaches into classes): a callable (query, top, scope), an object or class (called
      without arguments) with `retrieve` or `search`, a LangChain or a LlamaIndex retriever. The current directory is
      importable, and stays so, for what the module imports later.
    - `http://…` or `https://…`: an endpoint; see `http_retriever`.
    - `exec:command`: a program of its own, in its own environment; see `process_retriever`.

    Raises UsageError saying which part does not hold.
    """
    if text.startswith(("http://", "https://")):
        return HttpRetriever(text)
    if text.startswith("exec:"):
        return ProcessRetriever(text.removeprefix("exec:"))
    module_name, colon, name = text.partition(":")
    if not colon or not module_name.strip() or not name.strip():
        raise UsageError(f"{text!r} does not name a retriever", fix=f"Write {FORMS}.")
    thing = _named(_module(module_name.strip(), text), name.strip(), text)
    if inspect.isclass(thing):
        thing = _instance(thing, text)
    retriever = adapt(thing)
    if retriever is None:
        raise UsageError(
            f"{text!r} is a {type(thing).__name__} that cannot be called with (query, top, scope)",
            fix="Accept these three, or have retrieve, search, invoke or get_relevant_documents.",
        )
    return retriever


def _module(name: str, text: str) -> Any:
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        missing = error.name or name
        fix = f"Run it where {name}.py lies, or install it here." if name.startswith(missing) else _OWN
        raise UsageError(f"cannot import {missing!r} for {text!r}", fix=fix) from error
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"importing {name!r} raised {type(error).__name__}: {error}", fix="Import it alone first."
        ) from error


_OWN = "Install it here, or run the retriever in its own environment as exec:command or over HTTP."


def _named(module: Any, name: str, text: str) -> Any:
    thing = module
    for part in name.split("."):
        try:
            thing = getattr(thing, part)
        except AttributeError as error:
            raise UsageError(f"{text!r}: there is no {part!r}", where=getattr(module, "__file__", None)) from error
    return thing


def _instance(cls: type, text: str) -> Any:
    try:
        return cls()
    except (Exception, SystemExit) as error:
        raise UsageError(
            f"{text!r} cannot be made without arguments: {type(error).__name__}: {error}",
            fix="Name a function or an instance that a module of yours sets up.",
        ) from error
