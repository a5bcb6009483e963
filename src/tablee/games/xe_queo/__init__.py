"""Xe Queo! (Alex Randolph, Drei Magier 1998): bring your secret pawn to the ring before you are found out."""

from tablee.core.game import Game, Option, Reduction

GAME = Game(
    name="xe_queo",
    version=1,
    seats=range(2, 3),
    usual_seats=2,
    minutes=20,
    moves=407,
    max_legal_moves=302,
    max_game_length=3000,
    score_bounds=(0, 4),
    fewest_points_win=False,
    round_scale=1,
    package=__name__,
    options=(
        Option("allow_pass", False, clause="C1"),
        Option("metric", "euclidean", ("euclidean", "manhattan"), clause="C4"),
        Option("foreign_ring", "forbid", ("forbid", "block", "owner_wins"), clause="C6"),
        Option("placement", "random", ("random", "manual"), clause="C11"),
        Option("reveal", "proof", ("proof", "all"), clause="C16"),
    ),
    reductions=(
        Reduction("tiny", seats=2, deals=9, max_moves=7),
        Reduction("small", seats=2, deals=9, max_moves=7),
    ),
)
