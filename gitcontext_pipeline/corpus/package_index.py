"""Finding and downloading the source distribution of a release, where pip would look for it; nothing is built."""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from packaging.utils import canonicalize_name

from gitcontext_pipeline.corpus.pip_settings import IndexSettings
from gitcontext_pipeline.corpus.redaction import redact
from gitcontext_pipeline.corpus.simple_pages import Candidate, read_html_page, read_json_page
from gitcontext_pipeline.errors import OriginUnavailable

if TYPE_CHECKING:
    import httpx

MAX_DOWNLOAD = 512 << 20
_MAX_PAGE = 64 << 20
_ATTEMPTS = 3
_ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01"

T = TypeVar("T")


class _Passing(OriginUnavailable):
    """A failure that may be gone at the next attempt."""


@dataclass(slots=True)
class Found:
    """The candidates of all places in their order, and why the places that did not answer did not."""

    candidates: list[Candidate] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)


class PackageIndex:
    """All places of `settings` as one index; `close()` it, or use it as a context manager."""

    def __init__(self, settings: IndexSettings, *, pause: float = 0.5) -> None:
        self.settings = settings
        self.pause = pause
        self._opened = ExitStack()
        self._clients: dict[bool, httpx.Client] = {}

    def find(self, name: str, version: str) -> Found:
        """Every source distribution of that release."""
        found = Found()
        pages = [f"{index}/{canonicalize_name(name)}/" for index in self.settings.indexes]
        for place in [*pages, *self.settings.links]:
            try:
                offered = self._offered(place)
            except (OriginUnavailable, ValueError) as error:
                found.silent.append(f"{redact(place)}: {error.what if isinstance(error, OriginUnavailable) else error}")
                continue
            found.candidates += [candidate for candidate in offered if candidate.is_sdist_of(name, version)]
        return found

    def _offered(self, place: str) -> list[Candidate]:
        path = _file_path(place)
        if path is None:
            kind, page, address = self._retrying(lambda: self._page(place))
            offered = list(read_json_page(page, address) if kind.endswith("json") else read_html_page(page, address))
            # A page from the network has no business naming files of this machine.
            return [candidate for candidate in offered if _file_path(candidate.url) is None]
        page_path = path / "index.html" if (path / "index.html").is_file() else path
        try:
            if page_path.is_dir():
                return [Candidate(file.name, file.as_uri(), None) for file in sorted(page_path.iterdir())]
            return list(read_html_page(page_path.read_bytes(), page_path.as_uri()))
        except OSError as error:
            raise OriginUnavailable(error.strerror or str(error)) from error

    def _page(self, url: str) -> tuple[str, bytes, str]:
        content = bytearray()
        with self._response(url, _ACCEPT) as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > _MAX_PAGE:
                    raise OriginUnavailable(f"the page is longer than {_MAX_PAGE} bytes")
            kind = response.headers.get("content-type", "").split(";")[0].strip().lower()
            return kind, bytes(content), str(response.url)

    def download(self, candidate: Candidate, to: Path, *, limit: int = MAX_DOWNLOAD) -> str:
        """Write the file to `to` and return the sha256 of what arrived; raises OriginUnavailable."""
        path = _file_path(candidate.url)

        def attempt() -> str:
            digest = hashlib.sha256()
            left = limit
            with to.open("wb") as out:
                for part in _read_parts(path) if path else self._stream(candidate.url):
                    left -= len(part)
                    if left < 0:
                        raise OriginUnavailable(f"the file is larger than {limit} bytes", where=candidate.filename)
                    digest.update(part)
                    out.write(part)
            return digest.hexdigest()

        return self._retrying(attempt)

    def _stream(self, url: str) -> Iterator[bytes]:
        with self._response(url, "*/*") as response:
            # Raw: the hash is over the file as published, and a .tar.gz is sometimes served as gzip-encoded tar.
            yield from response.iter_raw(1 << 16)

    @contextmanager
    def _response(self, url: str, accept: str) -> Iterator[httpx.Response]:
        import httpx

        shown = redact(url)
        headers = {"Accept": accept, "User-Agent": "gitcontext"}
        if accept == "*/*":
            headers["Accept-Encoding"] = "identity"
        try:
            with self._client(url).stream("GET", url, headers=headers) as response:
                if response.status_code >= 500 or response.status_code in (408, 429):
                    raise _Passing(f"the server answered {response.status_code}", where=shown)
                if response.status_code != 200:
                    raise OriginUnavailable(f"the server answered {response.status_code}", where=shown)
                yield response
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise OriginUnavailable(f"no connection ({redact(str(error))})", where=shown) from error
        except httpx.TransportError as error:
            raise _Passing(
                f"the transfer broke off ({redact(str(error)) or type(error).__name__})", where=shown
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise OriginUnavailable(f"the request failed ({redact(str(error))})", where=shown) from error

    def _client(self, url: str) -> httpx.Client:
        import httpx

        parts = urlsplit(url)
        trusted = not self.settings.trusted_hosts.isdisjoint({parts.hostname, parts.netloc.rpartition("@")[2]})
        if trusted not in self._clients:
            client = httpx.Client(
                verify=_tls(self.settings, trusted),
                proxy=self.settings.proxy,
                timeout=httpx.Timeout(self.settings.read, connect=self.settings.connect),
                follow_redirects=True,
            )
            self._clients[trusted] = self._opened.enter_context(client)
        return self._clients[trusted]

    def _retrying(self, attempt: Callable[[], T]) -> T:
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential

        retrying = Retrying(
            retry=retry_if_exception_type(_Passing),
            stop=stop_after_attempt(_ATTEMPTS),
            wait=wait_exponential(multiplier=self.pause, max=4),
            reraise=True,
        )
        return retrying(attempt)

    def close(self) -> None:
        self._opened.close()

    def __enter__(self) -> PackageIndex:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _tls(settings: IndexSettings, trusted: bool) -> ssl.SSLContext:
    import certifi

    bundle = Path(settings.certificates or certifi.where()).expanduser()
    try:
        if bundle.is_dir():
            context = ssl.create_default_context(capath=str(bundle))
        else:
            context = ssl.create_default_context(cafile=str(bundle))
        if settings.client_certificate:
            context.load_cert_chain(Path(settings.client_certificate).expanduser())
    except OSError as error:
        raise OriginUnavailable(
            f"the configured certificates cannot be read ({error})",
            where=bundle,
            fix="Check pip's `cert` and `client-cert` settings, REQUESTS_CA_BUNDLE and SSL_CERT_FILE.",
        ) from error
    if trusted:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context


def _file_path(place: str) -> Path | None:
    """The path that a file URL, or a plain path, names; None for anything on a network."""
    parts = urlsplit(place)
    if parts.scheme == "file":
        return Path(url2pathname(parts.path))
    return None if "://" in place else Path(place).expanduser().absolute()


def _read_parts(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as source:
            while part := source.read(1 << 16):
                yield part
    except OSError as error:
        raise OriginUnavailable(f"the file cannot be read ({error.strerror})", where=path.name) from error
