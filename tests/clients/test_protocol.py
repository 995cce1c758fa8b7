"""The exchanges in PROTOCOL.md are those of a real match."""

from __future__ import annotations

from support.story import CHAPTERS, DOCUMENT, exchanges, filled


def test_the_document_shows_what_is_really_said() -> None:
    document = DOCUMENT.read_text("utf-8")
    texts = exchanges()
    assert filled(document, texts) == document, "run: python tests/support/story.py"
    assert list(texts) == list(CHAPTERS)


def test_every_chapter_of_the_story_happens() -> None:
    texts = exchanges()
    for chapter, said in {
        "hello": "welcome {",
        "seek": "match_started {",
        "start": "decide {",
        "card": "play_card",
        "moves": "applied: 2",
        "battle": "dice:",
        "drop": "resumed: true",
        "refusal": "REFUSAL_REASON_ILLEGAL_ACTION",
        "end": "secret:",
    }.items():
        assert said in texts[chapter], chapter
