from __future__ import annotations

import pytest

from gitcontext_pipeline.chunks.roles import role_of


@pytest.mark.parametrize(
    ("role", "paths"),
    [
        ("main", "src/app.py pkg/testing.py latest/contest.py docs/index.md src/it/tax.py spec.md test_results.md"),
        ("main", "tests/README.md benchmarks/README.md lib/protest.go src/demonstration.ts locales.py"),
        ("test", "tests/conftest.py src/test_app.py gin_test.go a/b.spec.ts a/b.test.tsx src/__tests__/a.js"),
        ("test", "pkg/testdata/README.md spec/models/user_spec.rb benchmarks/run.py src/test/java/AppTest.java"),
        ("test", "AppTests.swift fixtures/a.json integration-tests/run.sh app/tests.py tests/page.html"),
        ("example", "examples/basic/main.go samples/a.py demo/index.html examples/README.md"),
        ("vendored", "vendor/github.com/x/y.go src/third_party/z.c pip/_vendor/idna/core.py node_modules/a/tests/a.js"),
        ("generated", "src/generated/client.ts app/__generated__/schema.ts"),
        ("translated", "README.zh-CN.md docs/pt-BR/index.md locale/de/LC_MESSAGES/django.po i18n/fr/guide.md"),
        ("translated", "translations/guide.md"),
    ],
)
def test_roles_told_by_the_path_alone(role: str, paths: str) -> None:
    assert {path: role_of(path) for path in paths.split()} == dict.fromkeys(paths.split(), role)


def test_a_language_folder_is_told_by_its_siblings() -> None:
    tree = frozenset({"docs/en/a.md", "docs/it/a.md", "docs/de/a.md", "rates/it/a.md", "rates/law/a.md"})
    assert role_of("docs/it/a.md", tree) == "translated"
    assert role_of("docs/en/a.md", tree) == "main"
    assert role_of("rates/it/a.md", tree) == "main"


def test_a_translated_file_is_told_by_its_original() -> None:
    assert role_of("README_fr.md", frozenset({"README.md", "README_fr.md"})) == "translated"
    assert role_of("guide-it.md", frozenset({"guide-it.md"})) == "main"
