"""Tables, Markdown and progress bars: formatted on a terminal, plain text in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from rich.progress import Progress

Rows = Sequence[Sequence[str]]


def print_table(heads: Sequence[str], rows: Rows, title: str = "") -> None:
    """Print a table; columns of numbers are right-aligned."""
    if sys.stdout.isatty():
        _print_rich(heads, rows, title)
    else:
        sys.stdout.write("\n".join([*filter(None, [title]), *align_columns([heads, *rows])]) + "\n")


def align_columns(rows: Rows) -> list[str]:
    """Return each row as a line, with each column as wide as its widest cell."""
    widths = [max(len(row[index]) for row in rows) for index in range(len(rows[0]))]
    is_number = [all(_is_number(row[index]) for row in rows[1:]) for index in range(len(widths))]
    return ["  ".join(_padded(*cell) for cell in zip(row, widths, is_number, strict=True)).rstrip() for row in rows]


def _padded(text: str, width: int, is_number: bool) -> str:
    return text.rjust(width) if is_number else text.ljust(width)


def _is_number(text: str) -> bool:
    return text[:1].isdigit() or text[:2].lstrip("+-−")[:1].isdigit()


def _print_rich(heads: Sequence[str], rows: Rows, title: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for index, head in enumerate(heads):
        is_number = all(_is_number(row[index]) for row in rows)
        table.add_column(head, justify="right" if is_number else "left")
    for row in rows:
        table.add_row(*row)
    Console().print(table)


def print_markdown(text: str) -> None:
    """Print Markdown: rendered on a terminal, as it is in a pipe."""
    if not sys.stdout.isatty():
        sys.stdout.write(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    Console().print(Markdown(text))


@contextmanager
def progress_bar(label: str, stream: TextIO | None = None) -> Iterator[Callable[..., None]]:
    """Yield a function `show(done, total, step="")`; the bar appears on stderr at its first call.

    `step` names what is being done, beside the bar.
    """
    stream = stream or sys.stderr
    bar = _ProgressBar(label) if stream.isatty() else _ProgressLine(label, stream)
    try:
        yield bar.show
    finally:
        bar.close()


class _ProgressLine:
    """Writes the label once, for logs."""

    def __init__(self, label: str, stream: TextIO) -> None:
        self.label = label
        self.stream = stream

    def show(self, done: int, total: int, step: str = "") -> None:
        if self.label:
            self.stream.write(f"{self.label} …\n")
            self.stream.flush()
            self.label = ""

    def close(self) -> None:
        """Do nothing: the line stays."""


class _ProgressBar:
    """A bar that disappears when it is closed."""

    def __init__(self, label: str) -> None:
        self.label = label
        self.bar: Progress | None = None

    def show(self, done: int, total: int, step: str = "") -> None:
        from rich.console import Console
        from rich.progress import Progress, TextColumn

        if self.bar is None:
            columns = (*Progress.get_default_columns(), TextColumn("{task.fields[step]}"))
            self.bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self.bar.start()
            self.task = self.bar.add_task(f"{self.label} …", total=total, step=step)
        self.bar.update(self.task, completed=done, total=total, step=step)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.stop()
