"""Servers on loopback: a package index, git over HTTP, and one that accepts and then says nothing."""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import threading
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The address of a server that runs while the block does."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Index:
    """What a simple index serves, how it misbehaves, and what was asked of it."""

    files: dict[str, bytes] = field(default_factory=dict)
    form: str = "json"
    hashes: dict[str, str] = field(default_factory=dict)
    failures: int = 0
    truncate: bool = False
    asked: list[str] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)
    extra_links: list[str] = field(default_factory=list)

    @contextmanager
    def running(self) -> Iterator[str]:
        index = self

        class Handler(_Quiet):
            def do_GET(self) -> None:
                index.answer(self)

        with serving(Handler) as address:
            yield f"{address}/simple"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = urlsplit(request.path).path
        self.asked.append(path)
        self.authorizations.append(request.headers.get("Authorization"))
        if self.failures:
            self.failures -= 1
            return reply(request, 503, "text/plain", b"later")
        if path == "/simple/demo/":
            return self._page(request)
        name = path.rsplit("/", 1)[-1]
        if path.startswith("/files/") and name in self.files:
            return self._file(request, self.files[name])
        return reply(request, 404, "text/plain", b"no")

    def _file(self, request: BaseHTTPRequestHandler, content: bytes) -> None:
        if not self.truncate:
            return reply(request, 200, "application/octet-stream", content)
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        request.wfile.write(content[: len(content) // 2])
        request.close_connection = True
        return None

    def _page(self, request: BaseHTTPRequestHandler) -> None:
        sha = {name: self.hashes.get(name, hashlib.sha256(content).hexdigest()) for name, content in self.files.items()}
        if self.form == "json":
            files = [
                {"filename": name, "url": f"../../files/{name}", "hashes": {"sha256": sha[name]} if sha[name] else {}}
                for name in self.files
            ]
            files += [{"filename": link.rsplit("/", 1)[-1], "url": link, "hashes": {}} for link in self.extra_links]
            page = json.dumps({"meta": {"api-version": "1.1"}, "name": "demo", "files": files}).encode()
            return reply(request, 200, "application/vnd.pypi.simple.v1+json", page)
        links = [
            f'<a href="../../files/{name}{f"#sha256={sha[name]}" if sha[name] else ""}">{name}</a>'
            for name in self.files
        ]
        return reply(request, 200, "text/html; charset=utf-8", f"<!DOCTYPE html><html>{''.join(links)}".encode())


class _Quiet(BaseHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        return


def reply(request: BaseHTTPRequestHandler, status: int, kind: str, content: bytes) -> None:
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(content)))
    request.end_headers()
    request.wfile.write(content)


@contextmanager
def git_over_http(root: Path, *, password: str | None = None) -> Iterator[str]:
    """Serve the bare repositories below `root` with git's own smart HTTP server; user `ada` if there is a password."""
    expected = None if password is None else "Basic " + b64encode(f"ada:{password}".encode()).decode()

    class Handler(_Quiet):
        def do_GET(self) -> None:
            self._backend()

        def do_POST(self) -> None:
            self._backend()

        def _backend(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if expected and self.headers.get("Authorization") != expected:
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="test"')
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            url = urlsplit(self.path)
            env = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_GLOBAL": os.devnull,
                "PATH_INFO": url.path,
                "QUERY_STRING": url.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }
            answer = subprocess.run(
                ["git", "http-backend"], env=env, input=body, capture_output=True, check=False
            ).stdout
            head, _, content = answer.partition(b"\r\n\r\n")
            headers = [line.split(": ", 1) for line in head.decode().split("\r\n")]
            status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
            self.send_response(status)
            for name, value in headers:
                if name != "Status":
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    with serving(Handler) as address:
        yield address


@contextmanager
def files_over_http(root: Path) -> Iterator[str]:
    """Serve plain files: to git, that is a "dumb" server."""

    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, directory=str(root), **kwargs)  # type: ignore[arg-type,misc]

        def log_message(self, *args: object) -> None:
            return

    with serving(Handler) as address:
        yield address


@contextmanager
def stalled() -> Iterator[str]:
    """A server that accepts connections, reads, and never answers."""
    listener = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                held.append(listener.accept()[0])
            except OSError:
                return

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for connection in held:
            connection.close()
        thread.join()
