from __future__ import annotations

from gitcontext_pipeline.chunks.splitter import split
from tests.chunks.spans_of import named, uncovered, written


def filler(line: str, count: int = 30) -> str:
    return "".join(line.format(number) + "\n" for number in range(count))


def test_a_small_file_is_one_span() -> None:
    assert written(split("a.yaml", "on: push\njobs:\n  build: {}\n").spans) == ["1-3 - -"]


def test_yaml_keys_and_the_keys_below_a_long_one() -> None:
    text = (
        "name: ci\n\n# When.\non:\n  push:\n    branches:\n      - main\n\njobs:\n  lint:\n"
        f"{filler('    # step {}')}  test:\n{filler('    - run: {}', 40)}"
    )
    found = split("ci.yml", text)
    assert written(found.spans) == ["1-1 key name", "3-7 key on", "9-40 key jobs.lint", "41-81 key jobs.test"]
    assert found.kind == "code"


def test_json_keys() -> None:
    text = (
        "{\n"
        + '  "name": "x",\n  "scripts": {\n'
        + filler('    "s{}": "run",', 65)
        + '  },\n  "files": [\n'
        + filler("    {},")
        + "  ]\n}\n"
    )
    assert {span.symbol for span in split("package.json", text).spans} == {None, "scripts", "files"}


def test_toml_tables_with_the_comments_above_them() -> None:
    text = f"[project]\n{filler('a{} = 1')}\n# Lint.\n[tool.ruff]\n{filler('b{} = 2')}\n[[tool.x]]\nc = 1\nd = 1\n"
    assert written(split("a.toml", text).spans) == ["1-31 table project", "33-64 table tool.ruff", "66-68 table tool.x"]


def test_sql_statements_are_named_by_their_object() -> None:
    body = "BEGIN\n  UPDATE t SET a = 1;\n  CASE WHEN a THEN b; END;\nEND;\n"
    text = (
        f"-- Parcels.\nCREATE TABLE IF NOT EXISTS depot.parcel (\n{filler('  c{} int,')}  id int\n);\n\n"
        f"CREATE OR REPLACE FUNCTION weigh() RETURNS int AS $$\n{body}$$ LANGUAGE plpgsql;\n\n"
        f"CREATE TRIGGER sent\n{body}\nINSERT INTO depot.parcel\nVALUES\n{filler('  ({}),')}  (1);\n"
    )
    found = split("schema.sql", text)
    assert [span.symbol for span in found.spans] == ["depot.parcel", "weigh", "sent", "depot.parcel"]
    assert named(found, "depot.parcel").start_line == 1


def test_make_targets_and_docker_stages() -> None:
    recipe = filler("\techo {}")
    make = f"GO ?= go\n\n.PHONY: test\ntest: deps\n{recipe}\n# All.\nbuild:\n{recipe}"
    assert written(split("Makefile", make).spans) == ["1-1 - -", "3-34 target test", "36-67 target build"]
    docker = f"FROM python:3 AS base\n{filler('RUN {}', 40)}\nFROM base\n{filler('RUN {}', 40)}"
    assert [span.symbol for span in split("Dockerfile", docker).spans] == ["base", "base"]


def test_html_by_heading_and_scripts_by_line() -> None:
    text = f"<h1>Guide</h1>\n{filler('<p>{}</p>', 50)}<h2>More</h2>\n<script>\nx = '<h1>no</h1>'\n</script>\n"
    text += filler("<p>{}</p>")
    assert [span.symbol for span in split("a.html", text).spans] == ["Guide", "More"]


def test_rubbish_keeps_every_line() -> None:
    rubbish = "}{][\n\t: :\n- -\n\n" * 40
    for suffix in (".yml", ".json", ".toml", ".ini", ".sql", ".html", ".mk", ".dockerfile"):
        assert uncovered(rubbish, split(f"a{suffix}", rubbish)) == []
