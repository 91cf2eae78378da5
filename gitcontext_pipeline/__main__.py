"""`python -m gitcontext_pipeline`, the same as `gitcontext`."""

from gitcontext_pipeline.cli import main

if __name__ == "__main__":
    main()
