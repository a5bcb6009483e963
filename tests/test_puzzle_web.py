"""Puzzles in a browser: on a phone in French by touch, on a desktop by keyboard."""

from playwright.sync_api import expect

from browser import Player
from tablee import find_game
from tablee.core.puzzles import puzzles_of

TALL_PHONE = {"width": 390, "height": 844}
GAME = find_game("xe_queo")


def shown_puzzle(page):
    """Return the puzzle whose address is shown."""
    page.wait_for_selector("puzzle-page .board")
    return puzzles_of(GAME).find(page.url.rpartition("/")[2])


def test_a_puzzle_is_answered_wrong_and_right_and_the_rating_is_shown(browser, server):
    player = Player(browser, server, "Ana", size=TALL_PHONE, language="fr").with_name()
    page = player.visit("puzzles/xe_queo")
    puzzle = shown_puzzle(page)
    wrong = next(value.move for value in puzzle.values[1:])
    page.locator(".replay-dock summary").click()
    page.locator(f'.replay-dock button[data-move="{wrong}"]').click()
    expect(page.locator(".puzzle-verdict")).to_contain_text("Pas le meilleur")
    expect(page.locator(".puzzle-answer")).to_be_focused()
    expect(page.locator(".puzzle-reasons li")).to_have_count(4)
    assert player.violations() == []
    page.get_by_role("button", name="Essayer encore").click()
    page.locator(".replay-dock summary").click()
    page.locator(f'.replay-dock button[data-move="{puzzle.solution}"]').click()
    expect(page.locator(".puzzle-answer.is-solved")).to_contain_text("Cette réponse ne compte plus.")
    page.get_by_role("button", name="Problème suivant").click()
    expect(page.locator(".puzzle-answer")).to_have_count(0)
    assert shown_puzzle(page).id != puzzle.id
    page = player.visit("me")
    expect(page.locator("puzzle-ratings")).to_contain_text("résolus\u00a0: 0 sur 1")
    assert player.errors == []
    player.close()


def test_a_puzzle_is_solved_by_keyboard_alone(browser, server):
    player = Player(browser, server, "Ben").with_name()
    page = player.visit("puzzles")
    page.get_by_role("link", name="Puzzles: Xe Queo!").focus()
    page.keyboard.press("Enter")
    puzzle = shown_puzzle(page)
    page.locator(".replay-dock summary").focus()
    page.keyboard.press("Enter")
    page.locator(f'.replay-dock button[data-move="{puzzle.solution}"]').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".puzzle-answer.is-solved")).to_contain_text("1 in a row")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator(".puzzle-answer")).to_have_count(0)
    assert shown_puzzle(page).id != puzzle.id
    assert player.errors == []
    player.close()
