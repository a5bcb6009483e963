"""Commands that print information: `games` and `rules`."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from tablee.cli.shared import AsJson, GameName, Language, app, examples, usable_games
from tablee.core.registry import find_game
from tablee.core.words import Words, common

if TYPE_CHECKING:
    from tablee.core.game import Game


@app.command(epilog=examples("tablee games", "tablee games --lang fr", "tablee games --json"))
def games(language: Language, as_json: AsJson = False) -> None:
    """List the games."""
    words = common(language)
    usable, broken = usable_games(language)
    rows = [_description(game, language) for game in usable]
    if as_json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        _print_games(rows, words)
    for name, why in broken.items():
        print(words.say("games.broken", name=name, why=why), file=sys.stderr)


def _print_games(rows: list[dict[str, Any]], words: Words) -> None:
    from tablee.terminal.output import print_table

    if not rows:
        print(words.say("games.none"))
        return
    keys = ("name", "title", "players", "minutes", "tagline")
    print_table([words.say(f"games.{key}") for key in keys], [[str(row[key]) for key in keys] for row in rows])


def _description(game: Game, language: str) -> dict[str, Any]:
    words = game.words(language)
    return {
        "name": game.name,
        "title": words.say("title"),
        "players": str(game.seats[0]) if len(game.seats) == 1 else f"{game.seats[0]}–{game.seats[-1]}",
        "minutes": game.minutes,
        "tagline": words.say("tagline"),
        "seats": list(game.seats),
        "usual_seats": game.usual_seats,
        "version": game.version,
        "options": {option.name: list(option.choices) for option in game.options},
    }


@app.command(epilog=examples("tablee rules GAME", "tablee rules GAME --lang fr | less"))
def rules(game: GameName, language: Language) -> None:
    """Print the rulebook of a game."""
    from tablee.terminal.output import print_markdown

    print_markdown(find_game(game).rulebook(language))
