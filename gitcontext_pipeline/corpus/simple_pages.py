"""The files that a package index page offers, from either of its formats.

https://packaging.python.org/en/latest/specifications/simple-repository-api/ (PEP 503 HTML, PEP 691 JSON)
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from packaging.utils import InvalidSdistFilename, canonicalize_name, parse_sdist_filename
from packaging.version import InvalidVersion, Version


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that an index offers, and the sha256 it promises (None where it does not say)."""

    filename: str
    url: str
    sha256: str | None

    def is_sdist_of(self, name: str, version: str) -> bool:
        """Whether this is a source distribution of exactly that release, by its file name."""
        try:
            its_name, its_version = parse_sdist_filename(self.filename)
            return its_name == canonicalize_name(name) and its_version == Version(version)
        except (InvalidSdistFilename, InvalidVersion):
            return False


def read_json_page(content: bytes, address: str) -> Iterator[Candidate]:
    """The files of a PEP 691 page that was served from `address`; raises ValueError when it is not one."""
    page = json.loads(content)
    files = page.get("files") if isinstance(page, dict) else None
    if not isinstance(files, list):
        raise ValueError("the page lists no files")
    for file in files:
        if not isinstance(file, dict) or not isinstance(file.get("filename"), str):
            continue
        hashes = file.get("hashes")
        sha256 = hashes.get("sha256") if isinstance(hashes, dict) else None
        url = urljoin(address, str(file.get("url", "")))
        yield Candidate(file["filename"], url, sha256.lower() if isinstance(sha256, str) else None)


def read_html_page(content: bytes, address: str) -> Iterator[Candidate]:
    """The files of a PEP 503 page, or of any page of links, that was served from `address`."""
    links = _Links(address)
    links.feed(content.decode("utf-8", errors="replace"))
    for link in links.targets:
        url, fragment = urldefrag(link)
        algorithm, _, digest = fragment.partition("=")
        filename = unquote(urlsplit(url).path.rsplit("/", 1)[-1])
        yield Candidate(filename, url, digest.lower() if algorithm == "sha256" and digest else None)


class _Links(HTMLParser):
    def __init__(self, address: str) -> None:
        super().__init__()
        self.base = address
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        target = dict(attrs).get("href")
        if target and tag == "base":
            self.base = urljoin(self.base, target)
        elif target and tag == "a":
            self.targets.append(urljoin(self.base, target))
