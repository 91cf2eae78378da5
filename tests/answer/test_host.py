from __future__ import annotations

import threading
import time

import pytest

from gitcontext_pipeline.answer.host import Busy, ModelHost
from gitcontext_pipeline.errors import GitContextError
from tests.fakes.language_model import ScriptedModel


class Loader:
    def __init__(self) -> None:
        self.made: list[ScriptedModel] = []

    def __call__(self) -> ScriptedModel:
        self.made.append(ScriptedModel([""]))
        return self.made[-1]


def until(happened: object, seconds: float = 5) -> None:
    deadline = time.monotonic() + seconds
    while not happened() and time.monotonic() < deadline:  # type: ignore[operator]
        time.sleep(0.01)
    assert happened()  # type: ignore[operator]


def test_a_model_is_loaded_when_it_is_first_needed_and_once() -> None:
    loader = Loader()
    host = ModelHost(loader)
    assert loader.made == []
    for _ in range(3):
        with host.model():
            pass
    assert len(loader.made) == 1


def test_one_generation_at_a_time() -> None:
    host = ModelHost(Loader(), queue=10)
    inside, most = 0, 0

    def ask() -> None:
        nonlocal inside, most
        with host.model():
            inside += 1
            most = max(most, inside)
            time.sleep(0.01)
            inside -= 1

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_who_comes_when_the_queue_is_full_is_told_so_at_once() -> None:
    host = ModelHost(Loader(), queue=1)
    entered, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with host.model():
            entered.set()
            leave.wait(5)

    holder = threading.Thread(target=hold)
    holder.start()
    entered.wait(5)
    waiter = threading.Thread(target=lambda: host.model().__enter__() and None)

    def wait_in_line() -> None:
        with host.model():
            pass

    waiter = threading.Thread(target=wait_in_line)
    waiter.start()
    until(lambda: host._present == 2)
    with pytest.raises(Busy, match="1 questions are waiting"), host.model():
        pass
    leave.set()
    holder.join()
    waiter.join()
    with host.model():
        pass


def test_an_idle_model_gives_its_memory_back_and_is_loaded_again() -> None:
    loader = Loader()
    host = ModelHost(loader, idle=0.05)
    with host.model() as model:
        time.sleep(0.1)
        assert not loader.made[0].closed
    until(lambda: loader.made[0].closed)
    assert not host.loaded
    with host.model() as again:
        assert again is not model


def test_a_model_can_be_released_by_hand() -> None:
    loader = Loader()
    host = ModelHost(loader)
    with host.model():
        pass
    host.release()
    host.release()
    assert loader.made[0].closed


def test_a_failed_generation_leaves_the_host_usable() -> None:
    host = ModelHost(Loader(), idle=None)
    with pytest.raises(GitContextError), host.model():
        raise GitContextError("the model failed")
    with host.model():
        pass


def test_a_model_that_cannot_be_loaded_is_tried_again_by_the_next_caller() -> None:
    outcomes: list[object] = [GitContextError("no memory"), ScriptedModel([""])]

    def load() -> ScriptedModel:
        outcome = outcomes.pop(0)
        if isinstance(outcome, GitContextError):
            raise outcome
        assert isinstance(outcome, ScriptedModel)
        return outcome

    host = ModelHost(load)
    with pytest.raises(GitContextError, match="no memory"), host.model():
        pass
    with host.model() as model:
        assert model.name == "scripted"
