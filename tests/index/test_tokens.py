from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gitcontext_pipeline.index.tokens import parts, query_terms, stem, terms, words

WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=9)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("session.get(url)", ["session", "get", "url"]),
        ("_private __init__ snake_case __a__b__", ["private", "init", "snake_case", "a__b"]),
        ("don't re-send", ["don", "t", "re", "send"]),
        ("naïve café Straße", ["naïve", "café", "Straße"]),
        ("Привет, мир", ["Привет", "мир"]),
        ("日本語。中文", ["日本語", "中文"]),
        ("v2.31.0", ["v2", "31", "0"]),
        ("", []),
        ("!?#", []),
    ],
)
def test_words(text: str, found: list[str]) -> None:
    assert words(text) == found


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("getHTTPProxy_url", ("get", "http", "proxy", "url")),
        ("HTTPAdapter", ("http", "adapter")),
        ("parseURL", ("parse", "url")),
        ("URL", ("url",)),
        ("snake_case__name", ("snake", "case", "name")),
        ("SCREAMING_CASE", ("screaming", "case")),
        ("PascalCase", ("pascal", "case")),
        ("sha256sum", ("sha", "256", "sum")),
        ("utf8", ("utf", "8")),
        ("HTTP2Server", ("http", "2", "server")),
        ("ПриветМир", ("приветмир",)),
        ("x", ("x",)),
        ("", ()),
    ],
)
def test_parts_are_what_case_underscores_and_digits_separate(word: str, pieces: tuple[str, ...]) -> None:
    assert parts(word) == pieces


@pytest.mark.parametrize("asked", ["redirect", "redirects", "redirected", "redirecting", "Redirect", "REDIRECTS"])
def test_forms_of_a_word_meet(asked: str) -> None:
    assert terms(asked) == ["redirect"]


@pytest.mark.parametrize(("word", "kept"), [("is", "is"), ("naïves", "naïves"), ("Приветы", "Приветы"), ("256", "256")])
def test_short_words_and_other_scripts_keep_their_form(word: str, kept: str) -> None:
    assert stem(word) == kept


@pytest.mark.parametrize(
    "asked",
    [
        "SessionRedirectMixin",
        "sessionredirectmixin",
        "should_strip_auth",
        "strip auth",
        "session",
        "mixins",
        "stripping",
        "SHOULD_STRIP_AUTH",
    ],
)
def test_a_definition_is_found_whole_and_by_its_parts(asked: str) -> None:
    assert set(query_terms(asked)) <= set(terms("class SessionRedirectMixin: def should_strip_auth(self): ..."))


@given(st.lists(WORD, min_size=1, max_size=7), st.sampled_from(["_", "camel", "Pascal", "__"]))
def test_any_identifier_is_found_whole_and_by_its_parts(pieces: list[str], style: str) -> None:
    if style in {"camel", "Pascal"}:
        joined = "".join(piece.capitalize() for piece in pieces)
        identifier = joined if style == "Pascal" else joined[0].lower() + joined[1:]
    else:
        identifier = style.join(pieces)
    indexed = set(terms(f"x = self.{identifier}(1)"))
    assert set(terms(identifier)) <= indexed
    for piece in pieces:
        assert set(terms(piece)) <= indexed


@given(st.text())
@example("\ud800")
@example("\u0130I\u0131")
@example("a" * 10_000)
@example("_" * 10_000)
@example("²³½ǅ")
def test_any_text_has_terms_and_always_the_same(text: str) -> None:
    found = terms(text)
    assert found == terms(text)
    assert all(term and term == term.lower() and not term.isspace() for term in found)
    asked = query_terms(text)
    assert len(set(asked)) == len(asked)
    assert set(asked) <= set(found)


@given(st.lists(st.text(max_size=20), max_size=5))
def test_terms_of_a_text_are_those_of_its_lines(lines: list[str]) -> None:
    assert terms("\n".join(lines)) == [term for line in lines for term in terms(line)]


class TestLongWords:
    @pytest.mark.parametrize(
        "name",
        [
            "test_different_connection_pool_for_tls_settings_verify_bundle_expired_cert",
            "TestMappingUsingBindUnmarshalerAndTextUnmarshalerWhenOnlyBindUnmarshalerDefined",
        ],
    )
    def test_a_long_name_is_still_a_name(self, name: str) -> None:
        assert len(name) > 64
        assert name.lower() in terms(name)
        assert {stem(piece) for piece in parts(name)} <= set(terms(name))

    @pytest.mark.parametrize(
        "data",
        [
            "bGVrdHJvbmlrIFNlcnRpZmlrYSBIaXptZXQgU2HEn2xhecSxY8Sxc8SxMQswCQYDVQQGDAJUUjEP",
            hashlib.sha512(b"data").hexdigest(),
            "a" * 1000,
            "_".join(["word"] * 1000),
        ],
    )
    def test_data_has_no_terms(self, data: str) -> None:
        assert terms(f"certificate = '{data}'") == ["certif"]

    def test_a_digest_is_found_whole(self) -> None:
        digest = "f288924cae4e29463698d6d60bc6a4da69c89185ad1e0bcc4104f584e960b9ed"
        assert digest in terms(f"sha256: {digest}")


class TestTextWithoutSpaces:
    @pytest.mark.parametrize(
        ("asked", "text"),
        [
            ("重定向", "处理重定向的请求"),
            ("リダイレクト", "このリダイレクトを処理する"),
            ("인증", "프록시인증헤더"),
            ("redirects", "使用redirect功能"),
            ("HTTPProxy", "使用HTTPProxy功能"),
            ("proxy", "使用HTTPProxy功能"),
            ("should_strip_auth", "见should_strip_auth函数"),
        ],
    )
    def test_a_word_is_found_inside(self, asked: str, text: str) -> None:
        # The words of the question that are not in the text as such are those of its own beginning and end.
        assert set(terms(asked)) & set(terms(text))

    def test_pairs_of_characters_stand_in_for_words(self) -> None:
        assert terms("重定向") == ["重定向", "重定", "定向"]
        assert terms("重定") == ["重定"]
        assert terms("重") == ["重"]

    def test_what_is_not_there_is_not_found(self) -> None:
        assert not set(terms("认证")) & set(terms("处理重定向的请求"))


class TestQueryTerms:
    def test_each_once_in_order_without_the_words_of_every_question(self) -> None:
        assert query_terms("Where does Requests strip the redirect authorization, and redirects?") == [
            "request", "strip", "redirect", "author",
        ]  # fmt: skip

    @pytest.mark.parametrize("question", ["what is it", "How can I?", "the"])
    def test_a_question_of_nothing_else_keeps_them(self, question: str) -> None:
        assert query_terms(question) == list(dict.fromkeys(terms(question)))
        assert query_terms(question)

    @pytest.mark.parametrize("question", ["", "?!", " \n"])
    def test_no_words_no_terms(self, question: str) -> None:
        assert query_terms(question) == []
