"""The Model Context Protocol server: evidence of the published corpora as tools and resources for coding agents."""
