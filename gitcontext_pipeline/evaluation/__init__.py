"""Judging a retriever: golden sets, metrics, baselines, and the gate that a build can fail on."""
