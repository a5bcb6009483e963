"""JavaScript without comments, for sending to browsers (docs/decisions/0035-comments-in-scripts.md)."""

from __future__ import annotations

from collections.abc import Iterator

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

LANGUAGE = Language(tree_sitter_javascript.language())
LICENSE_MARK = b"@license"


def strip_comments(script: bytes) -> bytes:
    """Return a script without its comments except licences; every line keeps its number, as errors name lines.

    A script that cannot be parsed is returned unchanged.
    """
    tree = Parser(LANGUAGE).parse(script)
    if tree.root_node.has_error:
        return script
    parts, end = [], 0
    for comment in _comments(tree.root_node):
        text = script[comment.start_byte : comment.end_byte]
        if LICENSE_MARK not in text:
            # A space or line break separates what the comment separated.
            parts += [script[end : comment.start_byte].rstrip(b" \t"), b"\n" * text.count(b"\n") or b" "]
            end = comment.end_byte
    return b"".join([*parts, script[end:]])


def _comments(root: Node) -> Iterator[Node]:
    """Yield the comments below a node in the order of the text."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.type == "comment":
            yield node
        nodes += reversed(node.children)
