"""Rulebooks as HTML for browsers, rendered from Markdown with markdown-it-py."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from tablee.core.game import Game
from tablee.tables.examples import examples_of

CLAUSE = re.compile(r"([A-Z]+[0-9]+)\.")
PICTURE = re.compile(r"[\w-][\w./-]*")  # a path below the game's folder
TABLE_START = '<div class="table-scroll" tabindex="0" role="group">'
TABLE_END = "</div>"
EXAMPLES = '<div class="clause-examples" data-clause="{clause}"></div>'
PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")


def rulebook_html(game: Game, language: str) -> str:
    """Return a game's rulebook as an HTML fragment that is safe to insert into a page."""
    clauses = frozenset(example.clause for example in examples_of(game))
    return _rendered(game.rulebook(language), f"/games/{game.name}/", clauses)


@lru_cache(maxsize=64)
def _rendered(markdown: str, base: str, example_clauses: frozenset[str]) -> str:
    return render(markdown, base, example_clauses)


def render(markdown: str, base: str, example_clauses: Collection[str] = ()) -> str:
    """Render Markdown as an HTML fragment.

    HTML in the source is escaped. Links other than https:// and pictures outside `base` become their text. Headings
    start at h2, as the page itself has the h1. A paragraph that begins with a clause number in bold is a link target
    (`clause-R14`), and an empty `div.clause-examples` follows it if the clause is in `example_clauses`.
    """
    tokens = PARSER.parse(markdown)
    for token in tokens:
        if token.children is not None:
            token.children = list(_safe_inline(token.children, base))
    tokens = list(_adapt_blocks(tokens, example_clauses))
    return str(PARSER.renderer.render(tokens, PARSER.options, {}))


def _adapt_blocks(tokens: list[Token], example_clauses: Collection[str]) -> Iterator[Token]:
    clause = None
    for index, token in enumerate(tokens):
        if token.type == "table_open":
            yield _html(TABLE_START)
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) + 1, 4)}"
        elif token.type in {"th_open", "th_close", "td_open"}:
            _adapt_cell(token, tokens, index)
        elif token.type == "paragraph_open":
            clause = _clause_of(tokens[index + 1])
            if clause is not None:
                token.attrs = {"id": f"clause-{clause}", "tabindex": -1}
        yield token
        if token.type == "table_close":
            yield _html(TABLE_END)
        elif token.type == "paragraph_close" and clause in example_clauses:
            yield _html(EXAMPLES.format(clause=clause))


def _adapt_cell(token: Token, tokens: list[Token], index: int) -> None:
    """Turn an empty header cell into a td, and drop alignment styles, which the content security policy forbids."""
    content = tokens[index + 1] if token.nesting == 1 else tokens[index - 1]
    is_header = token.tag == "th" and bool(content.content)
    token.tag = "th" if is_header else "td"
    token.attrs = {"scope": "col"} if is_header and token.nesting == 1 else {}


def _clause_of(inline: Token) -> str | None:
    """Return the clause number that a paragraph begins with in bold, `R14` for `**R14.** ...`."""
    children = [child for child in inline.children or () if child.type != "text" or child.content]
    if len(children) < 2 or children[0].type != "strong_open":
        return None
    number = CLAUSE.fullmatch(children[1].content)
    return number[1] if number else None


def _safe_inline(tokens: Iterable[Token], base: str) -> Iterator[Token]:
    is_link_safe = True
    for token in tokens:
        if token.type == "link_open":
            is_link_safe = str(token.attrs["href"]).startswith("https://")
            token.attrs["rel"] = "noreferrer"
        if token.type in {"link_open", "link_close"} and not is_link_safe:
            continue
        yield _safe_picture(token, base) if token.type == "image" else token


def _safe_picture(token: Token, base: str) -> Token:
    source = str(token.attrs["src"])
    if ".." in source or not PICTURE.fullmatch(source):
        return Token("text", "", 0, content=token.content)
    token.attrs |= {"src": base + source, "loading": "lazy"}
    return token


def _html(content: str) -> Token:
    return Token("html_block", "", 0, content=content)
