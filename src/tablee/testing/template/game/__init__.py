"""New Game: everyone plays a card, the highest takes the trick."""

from tablee.core.game import Game, Option

GAME = Game(
    name="new_game",
    version=1,
    seats=range(2, 5),
    usual_seats=3,
    minutes=3,
    moves=20,
    max_legal_moves=4,
    max_game_length=16,
    score_bounds=(0, 4),
    fewest_points_win=False,
    package=__name__,
    options=(
        Option("hand", 3, (2, 3, 4), clause="R1"),
        Option("low_wins", False, clause="R4"),
    ),
)
