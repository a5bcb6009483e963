"""Selecting a move works alike in browser and terminal, on shared cases (tools/selection_cases.py writes them)."""

import json
from pathlib import Path

import pytest

from browser import CHROMIUM
from tablee.core.view import Choice, Piece, View, Zone
from tablee.server.static_files import WEB
from tablee.terminal.selection import select

pytestmark = pytest.mark.xdist_group("pages")

CASES = json.loads((Path(__file__).parent / "fixtures" / "selection.json").read_text(encoding="utf-8"))

# Returns the selection after each id of each case.
RUN_CASES = """
async ([source, cases]) => {
  const module = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  const { decidedChoice, select } = await import(module);
  const plain = (selection) => ({
    selected: selection.selected,
    next: [...selection.next].sort(),
    complete: selection.complete.map(({ text }) => text),
    decided: decidedChoice(selection)?.text ?? null,
  });
  return cases.map((view) => {
    let selected = [];
    return view.steps.map(({ id }) => {
      const selection = select(view, selected, id);
      selected = selection?.selected ?? selected;
      return { id, selection: selection && plain(selection) };
    });
  });
}
"""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_selection_in_the_terminal(case):
    zones = tuple(
        Zone(zone["id"], zone["kind"], "", tuple(Piece(piece["id"], "") for piece in zone["pieces"]))
        for zone in case["zones"]
    )
    choices = tuple(Choice(0, each["text"], "", tuple(each["targets"])) for each in case["choices"])
    view = View("", 0, 2, 0, "", zones, (0, 0), choices)
    selected = ()
    for step in case["steps"]:
        selection = select(view, selected, step["id"])
        if step["selection"] is None:
            assert selection is None
            continue
        selected = selection.selected
        assert step["selection"] == {
            "selected": list(selection.selected),
            "next": sorted(selection.next),
            "complete": [choice.text for choice in selection.complete],
            "decided": selection.decided.text if selection.decided else None,
        }


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
def test_selection_in_the_browser(browser):
    page = browser.new_page()
    results = page.evaluate(RUN_CASES, [(WEB / "selection.js").read_text(encoding="utf-8"), CASES])
    page.close()
    for case, steps in zip(CASES, results, strict=True):
        assert steps == case["steps"], case["name"]
