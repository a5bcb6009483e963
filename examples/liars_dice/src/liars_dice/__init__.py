"""Liar's dice: bid on the dice of the whole table, of which you see only your own."""

from tablee.core.game import Game, Option

GAME = Game(
    name="liars_dice",
    version=1,
    seats=range(2, 5),
    usual_seats=3,
    minutes=15,
    moves=121,  # 20 dice times 6 faces, and the doubt
    max_legal_moves=120,
    max_game_length=1273,  # 6 n bids and a doubt in each round of n = 20, 19, … 2 dice
    score_bounds=(0, 5),
    fewest_points_win=False,
    package=__name__,
    options=(
        Option("dice", 5, (2, 3, 5), clause="R1"),
        Option("wild_ones", True, clause="R6"),
    ),
)
