"""What users paste when something broke: the lines that raise it come first."""

from __future__ import annotations

import pytest

from gitcontext_pipeline.answer.opened import open_corpus
from gitcontext_pipeline.state import State

TRACEBACK = """Traceback (most recent call last):
  File "app.py", line 12, in <module>
    requests.get("htp://example.org")
  File "/usr/lib/python3/site-packages/requests/api.py", line 73, in get
    return request("get", url, params=params, **kwargs)
  File "/usr/lib/python3/site-packages/requests/sessions.py", line 697, in send
    adapter = self.get_adapter(url=request.url)
requests.exceptions.InvalidSchema: No connection adapters were found for 'htp://example.org'"""


@pytest.mark.parametrize(
    ("pasted", "raised_in"),
    [
        (TRACEBACK, "Session.get_adapter"),
        ("requests.exceptions.InvalidURL: Invalid URL 'http://': No host supplied", "PreparedRequest.prepare_url"),
        ("RuntimeError: The content for this response was already consumed", "Response.content"),
        ("ValueError: Files must be provided.", "RequestEncodingMixin._encode_files"),
        ("UnrewindableBodyError: Unable to rewind request body for redirect.", "rewind_body"),
        ("TooManyRedirects: Exceeded 30 redirects.", "SessionRedirectMixin.resolve_redirects"),
    ],
)
def test_a_pasted_error_leads_to_the_lines_that_raise_it(release: State, pasted: str, raised_in: str) -> None:
    found = open_corpus("requests", state=release.root).search(pasted, top=3)
    assert raised_in in [result.symbol for result in found]


def test_a_pasted_code_block_leads_to_what_it_calls(release: State) -> None:
    pasted = """Why does this not send my header twice?
```python
s = requests.Session()
s.headers.update({"x-test": "true"})
settings = s.merge_environment_settings(url, {}, None, None, None)
```"""
    found = open_corpus("requests", state=release.root).search(pasted, top=3)
    assert "Session.merge_environment_settings" in [result.symbol for result in found]
