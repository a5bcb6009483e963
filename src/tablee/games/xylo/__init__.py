"""Xylo (Chris Wray; Xylotar, Bézier Games 2024): a trick-taking game in which players do not see their own cards."""

from tablee.core.game import Game, Option, Options, Reduction


def _refuses_setup(seats: int, options: Options) -> str | None:
    """Refuse to leave out a colour of choice except with three players (A1)."""
    if seats in (2, 4, 5) and options["removed"] != "orange":
        return "the option removed is for three players (A1)"
    return None


GAME = Game(
    name="xylo",
    version=1,
    seats=range(2, 6),
    usual_seats=4,
    minutes=30,
    moves=41,
    max_legal_moves=26,
    max_game_length=17_000,
    score_bounds=(0, 1500),
    fewest_points_win=False,
    round_scale=3,
    package=__name__,
    options=(
        Option("removed", "orange", ("orange", "sky", "pink"), clause="A1"),
        Option("lead_tie", "others_first", ("others_first", "leader_first"), clause="A8"),
        Option("ties", "choose", ("choose", "auto"), clause="A13"),
    ),
    refuses_setup=_refuses_setup,
    reductions=(Reduction("tiny", seats=2, deals=36, max_moves=4),),
)
