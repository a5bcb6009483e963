"""Hooks for MkDocs: pages from outside docs/, navigation by folder, and links to files of the repository.

The rulebooks are those of the games' folders, benchmarks those of benchmarks/, so nothing is kept twice. A link to a
file that is no page of the site, and a path in backticks such as `docs/hosting.md`, lead to the page or the source.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
GAMES = ROOT / "src" / "tablee" / "games"
LANGUAGES = {"en": "English", "fr": "français"}
SOURCE = "https://github.com/tablee-games/tablee/blob/main"

LOG = logging.getLogger("mkdocs.hooks")
LINK = re.compile(r"(\]\()(?!https?:|mailto:|#|data:)([^)\s#]+)(#[^)\s]*)?(\))")
NOTEBOOK_LINK = re.compile(r'(<a href=")(?!https?:|mailto:|#|data:)([^"#]+\.\w+)(#[^"]*)?(")')
MENTION = re.compile(r"`((?:docs|benchmarks)/[\w/-]+\.md)`")


def on_config(config: Any) -> Any:
    """Replace the placeholders of the navigation by the pages of a folder."""
    folders = {
        "RULES": _rules_navigation(),
        "TUTORIALS": _pages("tutorials", "*.ipynb"),
        "BENCHMARKS": [{"Results": "benchmarks/results.md"}, {"Strength of the bots": "benchmarks/strength.md"}],
        "REFERENCE": _pages("reference", "*.md"),
        "DECISIONS": _pages("decisions", "*.md"),
    }
    config["nav"] = [_resolved(entry, folders) for entry in config["nav"]]
    return config


def _resolved(entry: Any, folders: dict[str, list[Any]]) -> Any:
    """Return an entry of the navigation with placeholders replaced."""
    ((title, target),) = entry.items()
    if isinstance(target, list):
        return {title: [_resolved(child, folders) for child in target]}
    return {title: folders.get(target, target)}


def _pages(folder: str, pattern: str) -> list[Any]:
    return [f"{folder}/{path.name}" for path in sorted((DOCS / folder).glob(pattern))]


def _rulebooks() -> list[Path]:
    return sorted(GAMES.glob("*/rules.*.md"))


def _rules_navigation() -> list[Any]:
    titles: dict[str, list[Any]] = {}
    for path in _rulebooks():
        language = path.suffixes[0][1:]
        title = path.read_text(encoding="utf-8").splitlines()[0].lstrip("# ")
        titles.setdefault(language, []).append({title: _rules_page(path)})
    return [{LANGUAGES[language]: pages} for language, pages in sorted(titles.items())]


def _rules_page(path: Path) -> str:
    return f"rules/{path.parent.name}.{path.suffixes[0][1:]}.md"


def on_files(files: Files, config: Any) -> Files:
    """Add the pages and pictures that are kept outside docs/."""
    for path in _rulebooks():
        files.append(File.generated(config, _rules_page(path), abs_src_path=str(path)))
    for path in sorted(GAMES.glob("*/pictures/*")):
        uri = f"rules/{path.parent.parent.name}/pictures/{path.name}"
        files.append(File.generated(config, uri, abs_src_path=str(path)))
    for path in sorted((ROOT / "benchmarks").glob("*.md")):
        files.append(File.generated(config, f"benchmarks/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Make links between files of the repository links between pages, or to the source."""
    here = _path_in_repository(page.file.src_uri)

    def follow(found: re.Match[str]) -> str:
        before, target, anchor, after = found.groups(default="")
        return f"{before}{_target(page, files, posixpath.join(posixpath.dirname(here), target))}{anchor}{after}"

    def mention(found: re.Match[str]) -> str:
        target = _target(page, files, found[1])
        return f"[{posixpath.basename(found[1])}]({target})"

    in_code = False
    lines = []
    for line in markdown.split("\n"):
        in_code ^= line.lstrip().startswith("```")
        lines.append(line if in_code else MENTION.sub(mention, LINK.sub(follow, line)))
    return "\n".join(lines)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Make links of notebooks, which are no Markdown to MkDocs, links between pages, or to the source."""
    if not page.file.src_uri.endswith(".ipynb"):
        return html
    here = _path_in_repository(page.file.src_uri)

    def follow(found: re.Match[str]) -> str:
        before, target, anchor, after = found.groups(default="")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), target))
        file = _file(files, path)
        return f"{before}{file.url_relative_to(page.file) if file else _source(path)}{anchor}{after}"

    return NOTEBOOK_LINK.sub(follow, html)


def _path_in_repository(uri: str) -> str:
    """Return the path of a page in the repository."""
    if uri.startswith("benchmarks/"):
        return uri
    if uri.startswith("rules/"):
        game, language, _ = Path(uri).name.split(".")
        return f"src/tablee/games/{game}/rules.{language}.md"
    return f"docs/{uri}"


def _target(page: Any, files: Files, path: str) -> str:
    """Return the link from a page to a file of the repository."""
    path = posixpath.normpath(path)
    file = _file(files, path)
    return posixpath.relpath(file.src_uri, posixpath.dirname(page.file.src_uri) or ".") if file else _source(path)


def _file(files: Files, path: str) -> File | None:
    """Return the file of the site that is made from a file of the repository, None if there is none."""
    uri = _uri(path)
    return None if uri is None else files.get_file_from_path(uri)


def _source(path: str) -> str:
    """Return the address of a file of the repository; a warning, which is an error, if there is no such file."""
    if not (ROOT / path).exists():
        LOG.warning("there is no %s to link to", path)
    return f"{SOURCE}/{path}"


def _uri(path: str) -> str | None:
    """Return where a file of the repository is on the site, None if it is not."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.startswith("benchmarks/"):
        return path
    if found := re.fullmatch(r"src/tablee/games/(\w+)/rules\.(\w+)\.md", path):
        return f"rules/{found[1]}.{found[2]}.md"
    if found := re.fullmatch(r"src/tablee/games/(\w+)/pictures/(.+)", path):
        return f"rules/{found[1]}/pictures/{found[2]}"
    return None
