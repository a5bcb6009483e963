"""Run the notebooks of docs/tutorials and keep what they print and draw: `python tools/notebooks.py [NAME…]`.

Only the standard library and matplotlib are needed, so that a notebook can also run on a machine without Jupyter, such
as one with a GPU. A cell with the tag `parameters` sets how much is computed; tests set less.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import io
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "tutorials"


def run_notebook(path: Path, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run the code cells of a notebook in order; return the notebook with their outputs.

    `parameters` replace what the cell with the tag `parameters` sets.
    """
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    namespace: dict[str, Any] = {"__name__": "__main__"}
    count = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        cell["execution_count"] = count
        cell["outputs"] = run_cell("".join(cell["source"]), namespace, count)
        if "parameters" in cell.get("metadata", {}).get("tags", ()):
            namespace.update(parameters or {})
    return notebook


def run_cell(source: str, namespace: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """Run one cell; return what it prints, the value of its last expression, and its figures."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    value = None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), namespace)
    outputs: list[dict[str, Any]] = []
    if printed.getvalue():
        outputs.append(
            {"output_type": "stream", "name": "stdout", "text": printed.getvalue().splitlines(keepends=True)}
        )
    if value is not None and not source.rstrip().endswith(";"):
        outputs.append(
            {"output_type": "execute_result", "execution_count": count, "metadata": {}, "data": shown(value)}
        )
    outputs += [{"output_type": "display_data", "metadata": {}, "data": data} for data in figures()]
    return outputs


def shown(value: Any) -> dict[str, Any]:
    """Return a value as Jupyter shows it."""
    data: dict[str, Any] = {"text/plain": repr(value).splitlines(keepends=True)}
    if hasattr(value, "_repr_html_") and (markup := value._repr_html_()):
        data["text/html"] = markup.splitlines(keepends=True)
    return data


def figures() -> list[dict[str, str]]:
    """Return the open figures of matplotlib as PNG, and close them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return []
    drawn = []
    for number in pyplot.get_fignums():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, format="png", dpi=100)
        drawn.append({"image/png": base64.b64encode(file.getvalue()).decode()})
    pyplot.close("all")
    return drawn


def main() -> None:
    """Run the named notebooks, or all, and write their outputs into them."""
    os.environ.setdefault("MPLBACKEND", "Agg")  # figures are kept, not shown
    for path in sorted(FOLDER.glob("*.ipynb")):
        if sys.argv[1:] and path.stem not in sys.argv[1:]:
            continue
        start = time.perf_counter()
        notebook = run_notebook(path)
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        print(f"{path.name}: {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
