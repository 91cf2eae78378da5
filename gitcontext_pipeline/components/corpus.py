"""One repository as a Dagster component: a YAML file becomes the whole asset graph with its checks."""

from __future__ import annotations

import re
from typing import Any

import dagster as dg
from pydantic import BaseModel

from gitcontext_pipeline.components.answers import answer_assets
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
        project = context.project_root
        assets: list[dg.AssetsDefinition | dg.AssetSpec] = [*corpus_assets(self.spec, project)]
        checks = corpus_checks(self.spec, project)
        for each in answer_assets(self.spec, project) if self.spec.answers else ():
            # Checks are assets by type in Dagster, so the narrower type is asked for first.
            checks.append(each) if isinstance(each, dg.AssetChecksDefinition) else assets.append(each)
        return dg.Definitions(assets=assets, asset_checks=checks)
