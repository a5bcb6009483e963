"""Skyjo (Alexander Bernhardt, Magilano 2015): swap cards, clear columns, keep the fewest points."""

from tablee.core.game import Game, Option, Reduction

GAME = Game(
    name="skyjo",
    version=1,
    seats=range(2, 9),
    usual_seats=4,
    minutes=30,
    moves=27,
    max_legal_moves=13,
    max_game_length=5_000_000,
    score_bounds=(-3400, 387),
    fewest_points_win=True,
    round_scale=20,
    package=__name__,
    options=(
        Option("start", "ender", ("ender", "highest_sum"), clause="B1"),
        Option("double_negative", False, clause="B3"),
        Option("rows", False, clause="B8"),
        Option("opening", "choose", ("choose", "auto"), clause="B12"),
        Option("stall_turns", 20, (1, 5, 10, 20, 50), clause="B14"),
    ),
    reductions=(
        Reduction("tiny", seats=2, deals=30, max_moves=8, options={"stall_turns": 1}),
        Reduction("small", seats=2, deals=720, max_moves=8, options={"stall_turns": 1}),
    ),
)
