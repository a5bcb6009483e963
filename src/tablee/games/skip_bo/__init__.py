"""Skip-Bo (Hazel Bowman 1967, Mattel): build shared series, and be the first to empty your stock."""

from __future__ import annotations

from tablee.core.game import Game, Option, Options, Reduction

MAX_WITHOUT_CLASSIC = 4


def refuses_setup(seats: int, options: Options) -> str | None:
    """Refuse five and six seats without the large deck of the classic edition (D11)."""
    if seats > MAX_WITHOUT_CLASSIC and options["edition"] != "classic":
        return f"the {options['edition']} edition is for 2 to 4, the classic edition for 2 to 6 (D11)"
    return None


GAME = Game(
    name="skip_bo",
    version=2,
    compatible_versions=(1,),  # which ranked a single round that nobody won by points alone (D19)
    seats=range(2, 7),
    usual_seats=4,
    minutes=60,
    moves=125,
    max_legal_moves=48,
    # 100 rounds (D17) of at most 120 stock cards, 600 turns between two of them (D7), each 200 plays and an end (D16)
    max_game_length=100 * 121 * 600 * 201,
    score_bounds=(0, 1020),  # 495 before a last round that scores 25, and 5 for each of a hundred cards
    fewest_points_win=False,
    round_scale=45,
    package=__name__,
    options=(
        Option("edition", "rulebook", ("rulebook", "pocket", "classic"), clause="D2"),
        Option("hand_size", "edition", ("edition", "three", "five", "three_then_five"), clause="D1"),
        Option("no_double_wild", False, clause="D8"),
        Option("single_round", False, clause="R27"),
    ),
    refuses_setup=refuses_setup,
    reductions=(Reduction("tiny", seats=2, deals=12, max_moves=11, options={"single_round": True}),),
)
