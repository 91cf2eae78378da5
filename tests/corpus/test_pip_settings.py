from __future__ import annotations

from pathlib import Path

import pytest

from gitcontext_pipeline.corpus.pip_settings import DEFAULT_INDEX, IndexSettings, configured_settings


@pytest.fixture(autouse=True)
def _unconfigured(monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    for name in list(os.environ):
        if name.startswith("PIP_") or name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


def test_without_configuration_it_is_pypi() -> None:
    assert configured_settings() == IndexSettings(indexes=(DEFAULT_INDEX,))


def test_the_environment_is_what_pip_would_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "https://one.example/simple/")
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://two.example/simple https://three.example/simple")
    monkeypatch.setenv("PIP_TRUSTED_HOST", "one.example")
    monkeypatch.setenv("PIP_PROXY", "http://proxy.example:8080")
    monkeypatch.setenv("SSL_CERT_FILE", "/certificates.pem")
    settings = configured_settings()
    assert settings.indexes == (
        "https://one.example/simple",
        "https://two.example/simple",
        "https://three.example/simple",
    )
    assert settings.trusted_hosts == {"one.example"}
    assert settings.proxy == "http://proxy.example:8080"
    assert settings.certificates == "/certificates.pem"
    monkeypatch.setenv("PIP_NO_INDEX", "true")
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    assert (configured_settings().indexes, configured_settings().links) == ((), ("/wheels",))


def test_configuration_files_are_read_and_the_environment_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "pip.conf"
    config.write_text(
        "[global]\nindex-url = https://file.example/simple\nfind-links =\n    /one\n    /two\n"
        "[download]\ncert = /download.pem\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(config))
    settings = configured_settings()
    assert settings.indexes == ("https://file.example/simple",)
    assert settings.links == ("/one", "/two")
    assert settings.certificates == "/download.pem"
    monkeypatch.setenv("PIP_INDEX_URL", "https://environment.example/simple")
    assert configured_settings().indexes == ("https://environment.example/simple",)
