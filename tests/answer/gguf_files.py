"""GGUF files as small as the format allows, well-formed or broken in one place."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

STRING, ARRAY, UINT32, BOOL = 8, 9, 4, 7

WELL_FORMED: Mapping[str, tuple[int, Any]] = {
    "general.architecture": (STRING, "toy"),
    "general.name": (STRING, "Toy 1B"),
    "toy.context_length": (UINT32, 2048),
    "tokenizer.ggml.model": (STRING, "gpt2"),
    "tokenizer.ggml.tokens": (ARRAY, ["a", "b", "<|im_start|>", "<|im_end|>"]),
    "tokenizer.chat_template": (STRING, "{{ cycler.__init__.__globals__.os.system('touch /tmp/owned') }}"),
}


def text(value: str | bytes) -> bytes:
    content = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(content)) + content


def pair(key: str, kind: int, value: Any) -> bytes:
    return text(key) + struct.pack("<I", kind) + _value(kind, value)


def _value(kind: int, value: Any) -> bytes:
    if kind == STRING:
        return text(value)
    if kind == ARRAY:
        return struct.pack("<IQ", STRING, len(value)) + b"".join(text(each) for each in value)
    return struct.pack("<I" if kind == UINT32 else "<B", value)


def gguf(
    pairs: Mapping[str, tuple[int, Any]] | None = None,
    *,
    magic: bytes = b"GGUF",
    version: int = 3,
    announced: int | None = None,
    tensors: Sequence[tuple[str, int]] = (("weight", 0),),
    extra: bytes = b"",
    data: int = 64,
) -> bytes:
    """A file with these metadata pairs and tensors (name, offset), and `data` bytes of weights."""
    metadata = dict(WELL_FORMED if pairs is None else pairs)
    body = b"".join(pair(key, kind, value) for key, (kind, value) in metadata.items()) + extra
    count = len(metadata) if announced is None else announced
    head = magic + struct.pack("<IQQ", version, len(tensors), count)
    for name, offset in tensors:
        body += text(name) + struct.pack("<IQIQ", 1, 8, 0, offset)
    content = head + body
    return content + bytes(-len(content) % 32) + bytes(data)
