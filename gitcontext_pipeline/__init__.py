"""Evidence-first answers about a pinned git repository, with retrieval quality gated like a test."""

__version__ = "0.1.0"
