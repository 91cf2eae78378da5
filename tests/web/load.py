"""Many clients at once on loopback, by hand: `python -m tests.web.load --seconds 60`.

Starts a server of its own over the published corpora that `gitcontext` finds here, and asks the questions of their
golden sets. Prints requests, errors and latency.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from itertools import cycle

import httpx
import typer

from gitcontext_pipeline.answer.library import Library
from gitcontext_pipeline.state import State
from gitcontext_pipeline.web.quality import examples
from gitcontext_pipeline.web.settings import Settings
from tests.web.running import running

PATHS = ("/", "/api/search", "/api/ask", "/answer.md")


async def client(address: str, turn: int, until: float, asked: list[dict[str, str]], seen: Counter[str]) -> list[float]:
    """Ask one question after another, each by the next path; the seconds that each took."""
    took = []
    questions = cycle(asked[turn % len(asked) :] + asked[: turn % len(asked)])
    paths = cycle(PATHS[turn % len(PATHS) :] + PATHS[: turn % len(PATHS)])
    async with httpx.AsyncClient(base_url=address, timeout=60, trust_env=False) as session:
        while time.monotonic() < until:
            began = time.monotonic()
            try:
                reply = await session.get(next(paths), params=next(questions))
                seen[str(reply.status_code)] += 1
            except httpx.HTTPError as error:
                seen[type(error).__name__] += 1
            took.append(time.monotonic() - began)
    return took


async def load(address: str, clients: int, seconds: float, asked: list[dict[str, str]]) -> None:
    seen: Counter[str] = Counter()
    until = time.monotonic() + seconds
    rows = await asyncio.gather(*(client(address, turn, until, asked, seen) for turn in range(clients)))
    took = sorted(each for row in rows for each in row)
    errors = sum(count for status, count in seen.items() if status != "200")
    typer.echo(f"{clients} clients, {seconds:g} s: {len(took)} requests ({len(took) / seconds:.0f}/s), {errors} errors")
    typer.echo(f"  by status: {dict(seen)}")
    for share in (0.5, 0.95, 1.0):
        typer.echo(f"  p{share * 100:g}: {took[min(len(took) - 1, int(share * len(took)))] * 1000:.0f} ms")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--workers", type=int, default=Settings().workers)
    given = parser.parse_args()
    state = State.locate()
    asked = [
        {"q": question, "corpus": corpus.name}
        for corpus in state.corpora()
        if corpus.current is not None
        for question in examples(corpus)
    ]
    with running(Library(state), Settings(requests_a_minute=0, workers=given.workers)) as address:
        for corpus in {question["corpus"]: question for question in asked}.values():
            httpx.get(f"{address}/api/ask", params=corpus, timeout=60, trust_env=False)
        asyncio.run(load(address, given.clients, given.seconds, asked))


if __name__ == "__main__":
    main()
