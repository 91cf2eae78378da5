from __future__ import annotations

import pytest

from gitcontext_pipeline.answer.circles import runs_in_circles


@pytest.mark.parametrize(
    ("text", "circles"),
    [
        (b"the header is removed when the host changes", False),
        (b"old_parsed.port in (80, None) and new_parsed.port in (443, None)", False),
        (b"removed, of the header of the header of the header of the header of the header", True),
        (b"1.2.1.2.1.2.1.2.", True),
        (b"x" * 12, True),
        (b"a------------", True),
        (bytes(range(33, 127)) * 2, True),
        (b"", False),
    ],
)
def test_a_text_that_runs_in_circles_is_recognised(text: bytes, circles: bool) -> None:
    assert runs_in_circles(text) is circles
