"""A model hub on loopback that serves one file, and misbehaves on request."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from gitcontext_pipeline.answer.model_files import HubFile

CONTENT = bytes(range(256)) * 2000


def hub_file(content: bytes = CONTENT, **changes: object) -> HubFile:
    """The pinned description of `content`."""
    fields: dict[str, object] = {
        "repository": "ada/toy-GGUF",
        "revision": "c" * 40,
        "filename": "toy-Q8_0.gguf",
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return HubFile(**{**fields, **changes})  # type: ignore[arg-type]


@dataclass
class Hub:
    """`cuts` are the numbers of bytes after which the next answers break off; `statuses`, what they fail with."""

    content: bytes = CONTENT
    ranges: bool = True
    redirect: bool = False
    announce: bool = True
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    asked: list[tuple[str, str | None]] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[str]:
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.answer(self)

            def log_message(self, *args: object) -> None:
                return

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("Range")
        self.asked.append((request.path, asked))
        if self.statuses:
            request.send_response(self.statuses.pop(0))
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        if self.redirect and not request.path.startswith("/storage/"):
            request.send_response(302)
            request.send_header("Location", "/storage/blob?signature=secret")
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        first = int(re.fullmatch(r"bytes=(\d+)-", asked).group(1)) if asked and self.ranges else 0  # type: ignore[union-attr]
        rest = self.content[first:]
        request.send_response(206 if asked and self.ranges else 200)
        if self.announce:
            request.send_header("Content-Length", str(len(rest)))
        request.end_headers()
        request.wfile.write(rest[: self.cuts.pop(0)] if self.cuts else rest)
        request.close_connection = True
