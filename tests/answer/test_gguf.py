from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitcontext_pipeline.answer.gguf import read_header
from gitcontext_pipeline.errors import GitContextError
from tests.answer.gguf_files import ARRAY, BOOL, STRING, UINT32, WELL_FORMED, gguf, pair, text


def written(folder: Path, content: bytes) -> Path:
    path = folder / "model.gguf"
    path.write_bytes(content)
    return path


def test_a_well_formed_header_tells_what_the_model_is(tmp_path: Path) -> None:
    header = read_header(written(tmp_path, gguf()))
    assert (header.architecture, header.name, header.context) == ("toy", "Toy 1B", 2048)
    assert (header.vocabulary, header.marks) == (4, ("<|im_start|>", "<|im_end|>"))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "cannot be read"),
        (b"GGUF", "ends in the middle"),
        (gguf(magic=b"GGJT"), "does not begin with GGUF"),
        (gguf(version=1), "version 1"),
        (gguf(announced=1 << 60), "announces"),
        (gguf(announced=0), "announces"),
        (gguf(announced=7, extra=pair("general.name", STRING, "again")), "there twice"),
        (gguf(announced=7, extra=text("x") + struct.pack("<I", 99)), "unknown type 99"),
        (gguf(announced=7, extra=pair("x", BOOL, 7)), "neither 0 nor 1"),
        (gguf(announced=7, extra=text("x") + struct.pack("<I", STRING) + text(b"\xff\xfe")), "not UTF-8"),
        (gguf(announced=7, extra=text("x") + struct.pack("<IQ", STRING, 1 << 40)), "a text of"),
        (gguf(announced=7, extra=text("x") + struct.pack("<IIQ", ARRAY, STRING, 1 << 50)), "longer than the file"),
        (gguf(announced=7, extra=text("x") + struct.pack("<IIQ", ARRAY, ARRAY, 1)), "a list of the type 9"),
        (gguf(announced=7, extra=text("x") + struct.pack("<IIQ", ARRAY, UINT32, 1 << 60)), "ends in the middle"),
        (gguf(tensors=[("a", 0), ("a", 32)]), "there twice"),
        (gguf(tensors=[("a", 7)]), "not aligned"),
        (gguf(tensors=[("a", 1 << 40)]), "end after the file does"),
        (gguf(announced=7, extra=pair("general.alignment", UINT32, 12)), "an alignment of 12"),
        (gguf({**WELL_FORMED, "toy.context_length": (STRING, "many")}), "toy.context_length"),
        (gguf({**WELL_FORMED, "tokenizer.ggml.tokens": (ARRAY, [])}), "no vocabulary"),
        (gguf({key: WELL_FORMED[key] for key in ("general.architecture", "general.name")}), "tokens is missing"),
    ],
)
def test_a_malformed_file_is_refused_and_named(tmp_path: Path, content: bytes, said: str) -> None:
    path = written(tmp_path, content)
    with pytest.raises(GitContextError, match=said) as refused:
        read_header(path)
    assert refused.value.where == str(path)
    assert "setup-model" in str(refused.value.fix)


@given(cut=st.integers(min_value=0, max_value=len(gguf(data=0)) - 1))
def test_a_header_cut_anywhere_is_refused(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = written(tmp_path_factory.mktemp("cut"), gguf(data=0)[:cut])
    with pytest.raises(GitContextError):
        read_header(path)


@given(st.data())
def test_no_damage_gets_past_as_anything_but_a_refusal(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(gguf())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = written(tmp_path_factory.mktemp("damaged"), bytes(content))
    try:
        header = read_header(path)
    except GitContextError:
        return
    assert header.vocabulary > 0
    assert header.context > 0
