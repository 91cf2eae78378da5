"""One repository as a Dagster component: a YAML file becomes the whole asset graph with its checks."""

from __future__ import annotations

import re
from typing import Any

import dagster as dg
from pydantic import BaseModel

from gitcontext_pipeline.components.assets import corpus_assets
from gitcontext_pipeline.components.checks import corpus_checks
from gitcontext_pipeline.corpus.spec import CorpusSpec


class CorpusScaffolder(dg.Scaffolder[BaseModel]):
    """`dg scaffold defs gitcontext_pipeline.components.Corpus corpora/NAME`: a file to fill in."""

    def scaffold(self, request: dg.ScaffoldRequest[BaseModel]) -> None:
        name = re.sub(r"[^a-z0-9_]+", "_", request.target_path.name.lower())
        dg.scaffold_component(
            request,
            {
                "name": name,
                "github": f"OWNER/{name}",
                "origins": [{"git": f"https://github.com/OWNER/{name}.git", "revision": "0" * 40}],
            },
        )


@dg.scaffold_with(CorpusScaffolder)
class Corpus(dg.Component):
    """A repository at a pinned revision: checkout, pull requests, chunks, indexes, evaluation, gate, publication.

    The attributes are those of `gitcontext_pipeline.corpus.spec.CorpusSpec`.
    """

    def __init__(self, spec: CorpusSpec) -> None:
        self.spec = spec

    @classmethod
    def get_model_cls(cls) -> type[BaseModel]:
        return CorpusSpec

    @classmethod
    def load(cls, attributes: Any, context: dg.ComponentLoadContext) -> Corpus:
        return cls(attributes)

    def build_defs(self, context: dg.ComponentLoadContext) -> dg.Definitions:
        return dg.Definitions(
            assets=corpus_assets(self.spec, context.project_root),
            asset_checks=corpus_checks(self.spec, context.project_root),
        )
