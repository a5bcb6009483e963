"""Modules of the front end joined into one script per page, and stylesheets into one file.

Over HTTP/1.1 a browser loads six files at a time, so a page of thirty modules would wait five times for a slow network.
The modules stay what they are: an import map in the page says that they are in the bundle, so that modules outside of
it, as the boards of games, import the same ones (docs/decisions/0050-pages.md).
"""

from __future__ import annotations

import hashlib
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from tree_sitter import Node, Parser

from tablee.core.errors import TableeError
from tablee.server.javascript import LANGUAGE, strip_comments

VENDOR = "/vendor/"  # stays a file of its own: it never changes


class BadModule(TableeError):
    """A module cannot be part of a bundle."""


@dataclass(frozen=True)
class Bundle:
    """A joined file, and the paths of what it is made from."""

    content: bytes
    digest: str
    modules: tuple[str, ...]


@dataclass
class _Module:
    """A module taken apart: its code without imports and exports."""

    path: str
    code: bytes
    imports: dict[str, list[str]] = field(default_factory=dict)  # names by path, in order of appearance
    exports: list[str] = field(default_factory=list)


def join_scripts(web: Path, roots: Iterable[str], generated: Mapping[str, bytes] | None = None) -> Bundle:
    """Join modules, given as paths below `web`, and all that they import; raise BadModule if that is not possible.

    `generated` holds modules that are not files, by path.

    Each module becomes a function that returns its exports, called after those that it imports. It may import and
    export by name only, and no export may be assigned to again.
    """
    modules: dict[str, _Module] = {}
    for root in roots:
        _collect(web, generated or {}, root, modules)
    numbers = {path: number for number, path in enumerate(modules)}
    names = [name for module in modules.values() for name in module.exports]
    if doubled := {name for name in names if names.count(name) > 1}:
        raise BadModule(f"exported by two modules of one bundle: {', '.join(sorted(doubled))}")
    parts = [*_vendor_imports(modules.values())]
    parts += [_as_function(module, numbers) for module in modules.values()]
    for path, module in modules.items():
        if module.exports:
            parts.append(f"export const {{ {', '.join(module.exports)} }} = module{numbers[path]};".encode())
    content = b"\n".join([*parts, b""])
    return Bundle(content, digest_of(content), tuple(modules))


def join_styles(web: Path, paths: Iterable[str]) -> Bundle:
    """Join stylesheets, given as paths below `web`; addresses in them are absolute."""
    modules = tuple(paths)
    content = b"\n".join((web / path.lstrip("/")).read_bytes() for path in modules)
    return Bundle(content, digest_of(content), modules)


def digest_of(content: bytes) -> str:
    """Return the digest that is part of a bundle's address."""
    return hashlib.blake2b(content, digest_size=8).hexdigest()


def _collect(
    web: Path, generated: Mapping[str, bytes], path: str, modules: dict[str, _Module], importing: tuple[str, ...] = ()
) -> None:
    """Add a module after those that it imports."""
    if path in importing:
        raise BadModule(f"modules import each other: {' → '.join([*importing, path])}")
    if path in modules:
        return
    module = _take_apart(path, generated[path] if path in generated else (web / path.lstrip("/")).read_bytes())
    for imported in module.imports:
        if not imported.startswith(VENDOR):
            _collect(web, generated, imported, modules, (*importing, path))
    modules[path] = module


@lru_cache(maxsize=256)
def _take_apart(path: str, script: bytes) -> _Module:
    source = strip_comments(script)
    root = Parser(LANGUAGE).parse(source).root_node
    if root.has_error:
        raise BadModule(f"{path} cannot be parsed")
    module = _Module(path, b"")
    cuts: list[tuple[int, int, bytes]] = []  # from, to, and what replaces it
    for statement in root.children:
        if statement.type == "import_statement":
            names = module.imports.setdefault(_absolute(path, _source_of(statement)), [])
            names += _imported_names(statement, path)
            cuts.append((statement.start_byte, statement.end_byte, b""))
        elif statement.type == "export_statement":
            declared = statement.child_by_field_name("declaration")
            if declared is None:
                raise BadModule(f"{path}: only declarations can be exported, by name")
            module.exports += _declared_names(declared, path)
            cuts.append((statement.start_byte, declared.start_byte, b""))
    for text in _dynamic_imports(root):
        absolute = _absolute(path, source[text.start_byte + 1 : text.end_byte - 1].decode())
        cuts.append((text.start_byte, text.end_byte, f'"{absolute}"'.encode()))
    module.code = _replaced(source, sorted(cuts))
    return module


def _replaced(source: bytes, cuts: Iterable[tuple[int, int, bytes]]) -> bytes:
    parts, end = [], 0
    for start, stop, replacement in cuts:
        parts += [source[end:start], replacement]
        end = stop
    return b"".join([*parts, source[end:]])


def _source_of(statement: Node) -> str:
    source = statement.child_by_field_name("source")
    assert source is not None
    assert source.text is not None
    return source.text.decode()[1:-1]


def _absolute(path: str, specifier: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))


def _imported_names(statement: Node, path: str) -> Iterator[str]:
    clause = next((child for child in statement.children if child.type == "import_clause"), None)
    for part in clause.named_children if clause else ():
        if part.type != "named_imports":
            raise BadModule(f"{path}: only names can be imported")
        for specifier in part.named_children:
            if specifier.child_by_field_name("alias") is not None:
                raise BadModule(f"{path}: imported names cannot be changed")
            yield _text(specifier.child_by_field_name("name"))


def _declared_names(declared: Node, path: str) -> Iterator[str]:
    if declared.type == "lexical_declaration":
        if _text(declared.child_by_field_name("kind")) != "const":
            raise BadModule(f"{path}: an exported variable must be constant")
        for declarator in declared.named_children:
            yield _text(declarator.child_by_field_name("name"))
    else:
        yield _text(declared.child_by_field_name("name"))


def _text(node: Node | None) -> str:
    assert node is not None
    assert node.text is not None
    return node.text.decode()


def _dynamic_imports(root: Node) -> Iterator[Node]:
    """Yield the addresses, where they are constant, of `import(…)`."""
    nodes = [root]
    while nodes:
        node = nodes.pop()
        if node.type == "call_expression" and node.children[0].type == "import":
            arguments = node.child_by_field_name("arguments")
            yield from (each for each in arguments.named_children if each.type == "string") if arguments else ()
        nodes += node.children


def _vendor_imports(modules: Iterable[_Module]) -> Iterator[bytes]:
    """Yield one import for each file that is not in the bundle."""
    found: dict[str, list[str]] = {}
    known = {module.path for module in modules}
    for module in modules:
        for path, names in module.imports.items():
            if path not in known:
                found.setdefault(path, []).extend(name for name in names if name not in found.get(path, ()))
    for path, names in found.items():
        yield f'import {{ {", ".join(names)} }} from "{path}";'.encode()


def _as_function(module: _Module, numbers: dict[str, int]) -> bytes:
    imports = [
        f"const {{ {', '.join(names)} }} = module{numbers[path]};"
        for path, names in module.imports.items()
        if path in numbers and names
    ]
    head = f"const module{numbers[module.path]} = (() => {{ {' '.join(imports)}".encode()
    return b"\n".join([head, module.code, f"return {{ {', '.join(module.exports)} }};\n}})();".encode()])
