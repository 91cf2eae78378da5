"""`gitcontext serve`, as far as it refuses."""

from __future__ import annotations

import socket

import pytest

from tests.cli.conftest import Command


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_other_machines_need_a_token_or_a_word(gitcontext: Command, host: str) -> None:
    refused = gitcontext("serve", "--host", host, "--port", 0)
    assert refused.exit_code == 2
    assert "--without-token" in refused.stderr


@pytest.mark.parametrize("token", ["", " ", "secret", "sixteen letters!"])
def test_a_token_that_could_be_guessed_is_refused(gitcontext: Command, token: str) -> None:
    refused = gitcontext("serve", "--port", 0, "--token", token)
    assert refused.exit_code == 2
    assert "guessed" in refused.stderr


def test_an_address_that_is_none_is_a_mistake(gitcontext: Command) -> None:
    refused = gitcontext("serve", "--host", "no.such.host.invalid", "--port", 0)
    assert refused.exit_code == 2
    assert "no address" in refused.stderr


def test_a_port_that_is_taken_is_a_mistake(gitcontext: Command) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        refused = gitcontext("serve", "--port", other.getsockname()[1])
    assert refused.exit_code == 2
    assert "already in use" in refused.stderr
    assert "Traceback" not in refused.stderr
