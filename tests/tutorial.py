"""The snippets of docs/tutorial.md, and what a reader does with them."""

import ast
import re
from pathlib import Path
from typing import NamedTuple

TUTORIAL = Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"
SNIPPET = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r"(?:#|//|/\*|<!--) (topple/[\w./]+)(?: \*/| -->)?\n")  # the first line of a snippet for a file
DELETED = re.compile(r"# delete: (.*)\n")


class Snippet(NamedTuple):
    """A fenced block: commands for the shell, or what belongs into a file of the game."""

    language: str
    text: str
    file: str | None


def snippets():
    """Return the snippets in order."""
    found = []
    for language, text in SNIPPET.findall(TUTORIAL.read_text(encoding="utf-8")):
        named = FILE.match(text)
        found.append(Snippet(language, text[named.end() :] if named else text, named[1] if named else None))
    return found


def write(snippet, parent):
    """Write a snippet into its file. Python definitions replace those of the same name; other files are replaced."""
    path = parent / snippet.file
    if snippet.language == "python" and path.exists() and not path.name.startswith("test_"):
        path.write_text(merged(path.read_text(encoding="utf-8"), snippet.text), encoding="utf-8")
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_text(snippet.text, encoding="utf-8")


def merged(source, snippet):
    """Replace top-level statements of a module by those of a snippet that define the same names; add the others.

    A new import comes to the imports, any other new statement before the next one of the snippet that replaces
    something, else to the end. `# delete: a, b` removes definitions.
    """
    parts = dict(statements(source))
    for line in DELETED.findall(snippet):
        for name in line.split(", "):
            del parts[name]
    keys = list(parts)
    at = len(keys)
    for key, text in reversed(statements(DELETED.sub("", snippet))):
        if key in keys:
            at = keys.index(key)
            parts[key] = blank_lines(parts[key]) + text.lstrip("\n")
        elif key.startswith(("from ", "import ")):
            keys.insert(last_import(keys) + 1, key)
            parts[key] = text.lstrip("\n")
        else:
            keys.insert(at, key)
            parts[key] = text if text.startswith("\n") else "\n\n" + text
    return "".join(parts[key] for key in keys)


def blank_lines(text):
    """Return the blank lines at the start of a text."""
    return text[: len(text) - len(text.lstrip("\n"))]


def last_import(keys):
    """Return the index of the last import."""
    return max(index for index, key in enumerate(keys) if key.startswith(("from ", "import ")))


def statements(source):
    """Return the top-level statements of a module with the comments above them, each with the name it defines."""
    lines = source.splitlines(keepends=True)
    found, start = [], 0
    for node in ast.parse(source).body:
        found.append((name_of(node), "".join(lines[start : node.end_lineno])))
        start = node.end_lineno
    return found


def name_of(node):
    """Return the name that a statement defines; of an import, the module."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign):
        return ast.unparse(node.targets[0])
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    if isinstance(node, ast.ImportFrom):
        return f"from {'.' * node.level}{node.module or ''}"
    return ast.unparse(node)
