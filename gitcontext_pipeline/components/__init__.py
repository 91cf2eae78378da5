"""What a `defs.yaml` can name."""

from gitcontext_pipeline.components.corpus import Corpus

__all__ = ["Corpus"]
