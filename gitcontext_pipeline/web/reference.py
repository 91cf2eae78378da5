"""The API for people: the schema that programs read, as one page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, Response

from gitcontext_pipeline.web.templates import render

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter, or a field of what comes back; `type` as one would say it."""

    name: str
    type: str
    says: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Operation:
    """One address, what it takes and what it returns. `example` is an address that works."""

    path: str
    summary: str
    says: str
    parameters: list[Field]
    returns: str | None
    example: str


@router.get("/api")
async def reference(request: Request) -> Response:
    schema = request.app.openapi()
    page = render(
        "api.html",
        operations=list(_operations(schema)),
        models={name: _fields(model) for name, model in _models(schema).items()},
        server=str(request.base_url).rstrip("/"),
        token=request.app.state.service.settings.token is not None,
    )
    return HTMLResponse(page)


def _operations(schema: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in schema["paths"].items():
        told = methods["get"]
        parameters = [each for each in told.get("parameters", ()) if each["in"] == "query"]
        examples = {each["name"]: _example(each["schema"]) for each in parameters if each["required"]}
        content = told["responses"]["200"].get("content", {}).get("application/json", {})
        yield Operation(
            path=path,
            summary=told["summary"],
            says=told.get("description", ""),
            parameters=[
                Field(each["name"], _type(each["schema"]), each.get("description", ""), each["required"])
                for each in parameters
            ],
            returns=_type(content["schema"]) if content.get("schema") else None,
            example=f"{path}?{urlencode(examples)}" if examples else path,
        )


def _models(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    found = schema.get("components", {}).get("schemas", {})
    return {name: model for name, model in found.items() if not name.startswith(("HTTP", "Validation"))}


def _fields(model: Mapping[str, Any]) -> list[Field]:
    required = model.get("required", ())
    return [
        Field(name, _type(each), each.get("description", ""), name in required)
        for name, each in model.get("properties", {}).items()
    ]


def _example(schema: Mapping[str, Any]) -> str:
    return str(next(iter(schema.get("examples", ())), ""))


def _type(schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(_type(each) for each in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(str(value) or "empty" for value in schema["enum"])
    kind = str(schema.get("type", "anything"))
    return f"list of {_type(schema['items'])}" if kind == "array" and "items" in schema else kind
