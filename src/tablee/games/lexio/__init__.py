"""Lexio (Wing Board Game): play your tiles in ever stronger combinations, and be paid for those the others hold."""

from tablee.core.game import Game, Option, Options, Reduction


def refuses_setup(seats: int, options: Options) -> str | None:
    """Return why a setup is refused: two players need the option `two_players`, and only they may use it (E18)."""
    if seats == 2 and not options["two_players"]:
        return "two players need the option two_players (E18)"
    if seats > 2 and options["two_players"]:
        return "the option two_players is for two players (E18)"
    return None


GAME = Game(
    name="lexio",
    version=1,
    seats=range(2, 6),
    usual_seats=4,
    minutes=45,
    moves=32_383,
    max_legal_moves=1300,
    max_game_length=5520,
    score_bounds=(-719, 969),
    fewest_points_win=False,
    round_scale=10,
    package=__name__,
    options=(
        Option("straight_tiebreak", "first", ("first", "highest"), clause="E1"),
        Option("flush", "top", ("top", "kickers"), clause="E2"),
        Option("twos", "each", ("each", "flat"), clause="E3"),
        Option("must_play", False, clause="E6"),
        Option("cap_payments", False, clause="E13"),
        Option("rounds", 5, tuple(range(1, 21)), clause="E17"),
        Option("two_players", False, clause="E18"),
    ),
    refuses_setup=refuses_setup,
    reductions=(
        Reduction("tiny", seats=2, deals=60, max_moves=8, options={"rounds": 1, "two_players": True}),
        Reduction("small", seats=2, deals=560, max_moves=8, options={"rounds": 1, "two_players": True}),
        Reduction("three", seats=3, deals=180, max_moves=8, options={"rounds": 1}),
    ),
)
