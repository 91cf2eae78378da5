from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.chunks.code import MAX_LINES, NESTED_LINES, fill_gaps
from gitcontext_pipeline.chunks.languages import LANGUAGES
from gitcontext_pipeline.chunks.schema import Span
from gitcontext_pipeline.chunks.splitter import language_of, split
from tests.chunks.spans_of import named, uncovered, written

FIXTURES = Path(__file__).parent / "fixtures"
SAMPLES = sorted(path for path in FIXTURES.iterdir() if path.name.lower().startswith("sample."))


def expected() -> dict[str, list[str]]:
    """The reviewed spans of every sample: a file's name, and below it `start-end kind symbol`."""
    spans: dict[str, list[str]] = {}
    sample = ""
    for line in (FIXTURES / "spans.txt").read_text().splitlines():
        if line.startswith(" "):
            spans[sample].append(line.strip())
        else:
            sample = line
            spans[sample] = []
    return spans


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_definitions_of_every_language_have_their_names_and_lines(sample: Path) -> None:
    assert written(split(sample.name, sample.read_text()).spans) == expected()[sample.name]


def test_every_language_has_a_sample() -> None:
    sampled = {language_of(sample.name, "") for sample in SAMPLES}
    assert sampled == set(LANGUAGES)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_line_endings_do_not_move_a_line(sample: Path) -> None:
    text = sample.read_text()
    assert written(split(sample.name, text.replace("\n", "\r\n")).spans) == written(split(sample.name, text).spans)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_file_cut_off_anywhere_loses_no_line(sample: Path) -> None:
    text = sample.read_text()
    for end in range(0, len(text), 23):
        for part in (text[:end], text[end:]):
            assert uncovered(part, split(sample.name, part)) == []


def test_definitions_before_and_after_a_syntax_error_keep_their_names() -> None:
    text = "def before():\n    return 1\n\n\ndef ((broken:\n\n\ndef after():\n    return 2\n"
    found = split("a.py", text)
    assert named(found, "before").start_line == 1
    assert named(found, "after").end_line == 9


def test_an_interface_that_the_grammar_loses_hold_of_keeps_its_lines() -> None:
    signature = "  <A extends B>(\n    one: A\n  ): C<\n    A\n  >\n\n"
    text = f"export interface Handler {{\n{signature * 3}}}\n\nconst after = 1\n"
    assert named(split("a.ts", text), "Handler").end_line == text.count("\n") - 2


def test_a_long_function_is_cut_into_named_pieces_with_the_doc_on_the_first() -> None:
    body = "\n".join(f"    step({number})" + ("\n" if number % 10 == 9 else "") for number in range(250))
    found = split("a.py", f'def march():\n    """Walk far."""\n{body}\n')
    assert {span.symbol for span in found.spans} == {"march"}
    assert {span.signature for span in found.spans} == {"def march()"}
    assert [span.doc for span in found.spans] == ["Walk far."] + [""] * (len(found.spans) - 1)
    assert len(found.spans) > 2
    assert all(span.end_line - span.start_line < MAX_LINES for span in found.spans)


def function(name: str, length: int, indentation: str = "") -> str:
    return "\n".join([f"{indentation}def {name}():", *[f"{indentation}    step()"] * (length - 1)])


def test_a_short_nested_function_is_only_part_of_the_one_around_it() -> None:
    text = f"def outer():\n{function('inner', NESTED_LINES - 1, '    ')}\n    return inner\n"
    assert written(split("a.py", text).spans) == ["1-13 function outer"]


def test_a_longer_nested_function_is_found_by_its_qualified_name_as_well() -> None:
    text = f"def outer():\n{function('inner', NESTED_LINES, '    ')}\n    return inner\n"
    assert written(split("a.py", text).spans) == ["1-14 function outer", "2-13 function outer.inner"]


def test_a_longer_nested_function_is_cut_out_of_a_function_that_is_split_anyway() -> None:
    text = f"def outer():\n{function('inner', 50, '    ')}\n" + "    step()\n" * 70
    assert written(split("a.py", text).spans) == [
        "1-1 function outer",
        "2-51 function outer.inner",
        "52-121 function outer",
    ]


def test_overloads_belong_to_the_definition_below_them() -> None:
    text = (
        "@overload\ndef f(a: int) -> int: ...\n\n\n@overload\ndef f(a: str) -> str: ...\n\n\ndef f(a):\n    return a\n"
    )
    assert written(split("a.py", text).spans) == ["1-10 function f"]


def test_comments_and_decorators_above_belong_to_a_definition_but_not_across_a_blank_line() -> None:
    text = "x = 1\n\n# unrelated,\n# longer than\n# a short\n# caption\n\n# doc\n@traced\ndef f():\n    pass\n"
    assert named(split("a.py", text), "f").start_line == 8


def test_a_single_assignment_names_the_module_level_code_it_is() -> None:
    assert written(split("a.py", "# How many.\nLIMIT = 3\n").spans) == ["1-2 constant LIMIT"]
    assert written(split("a.py", "LIMIT = 3\nDEPTH = 2\n").spans) == ["1-2 module -"]


def test_signatures_are_one_line_without_decorators_comments_and_body() -> None:
    text = (
        '@app.get("/")\nasync def read(  # noqa\n    item: str,\n    limit: int = 3,\n) -> list[str]:\n    return []\n'
    )
    assert named(split("a.py", text), "read").signature == "async def read( item: str, limit: int = 3, ) -> list[str]"
    text = "@Get() @Auth()\nexport class A<T> extends B {\n  @Log()\n  async run(): Promise<void> {\n  }\n}\n"
    assert named(split("a.ts", text), "A").signature == "export class A<T> extends B"
    assert named(split("a.ts", text), "A.run").signature == "async run(): Promise<void>"


@pytest.mark.parametrize(
    ("path", "text", "symbol"),
    [
        ("a.go", "package a\n\nfunc (e *Engine[T]) handle() {\n}\n", "Engine.handle"),
        ("a.rs", "impl<'a, T> Iterator for lex::Tokens<'a, T> {\n    fn next(&mut self) {\n    }\n}\n", "Tokens.next"),
        ("a.cpp", "std::vector<int> *ns::Type<T>::method(int a) {\n}\n", "Type.method"),
        ("a.cpp", "class EXPORT Type final {\n public:\n  int a();\n};\n", "Type"),
        ("a.h", "namespace ns {\nclass Type {\n  void method() {\n  }\n};\n}\n", "Type.method"),
        ("a.js", "module.exports.send = function () {\n}\n", "send"),
        ("a.js", "export default {\n  fetch() {\n  },\n}\n", "fetch"),
        ("a.ts", "export default function () {\n  return 1\n}\n", "default"),
        ("a.ts", "export const send = (async () => {}) as Send\nexport const x = async () => {\n}\n", "x"),
        ("a.ts", "declare module 'depot' {\n  export function f(): void {\n  }\n}\n", "depot.f"),
        ("a.tsx", "export class A {\n  handle = async (e: Event) => {\n  }\n}\n", "A.handle"),
        ("a.java", "interface A {\n  default int b() {\n    return 1;\n  }\n}\n", "A.b"),
        ("a.rb", "module A\n  class B::C\n    def d?\n    end\n  end\nend\n", "A.B.C.d?"),
        ("a.php", "<?php\nnamespace A\\B;\nabstract class C {\n  function d() {\n  }\n}\n", "C.d"),
        ("a.kt", "fun List<Int>.total(): Int {\n  return 1\n}\n", "List.total"),
        ("a.swift", "extension Array where Element == Int {\n  func total() -> Int {\n    1\n  }\n}\n", "Array.total"),
        ("a.cs", "namespace A;\nclass B\n{\n    int C()\n    {\n        return 1;\n    }\n}\n", "B.C"),
    ],
)
def test_names_are_qualified_by_the_type(path: str, text: str, symbol: str) -> None:
    assert named(split(path, text), symbol)


def test_tests_are_named_by_their_title_and_know_the_blocks_around_them() -> None:
    steps = "    step()\n" * 15
    sent = f"  it('is sent', async () => {{\n{steps}  }})\n"
    lost = f"  it('is lost', () => {{\n{steps}  }})\n"
    text = f"describe('Parcel', () => {{\n{sent}\n{lost}}})\n"
    found = split("a.test.ts", text)
    assert written(found.spans) == ["1-18 test is sent", "20-37 test is lost"]
    assert named(found, "is lost").signature == "Parcel > is lost"


def test_gaps_are_filled_without_names() -> None:
    lines = ["a", "", "b", "c", "", "d"]
    assert fill_gaps(lines, [Span(3, 4, "b")]) == [Span(1, 1), Span(6, 6)]
