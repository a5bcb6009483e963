"""The conformance suite: whether a game keeps the contract (docs/contract.md), check by check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tablee.core.game import Game
from tablee.testing import mode_checks, policy_checks, record_checks, view_checks, walk_checks, word_checks
from tablee.testing.budget import Budget, usual_budget
from tablee.testing.nonconformity import Nonconformity


@dataclass(frozen=True)
class Check:
    """One demand of the contract, and the function that raises Nonconformity where a game does not meet it."""

    name: str
    function: Callable[[Game, Budget], None]

    def run(self, game: Game, budget: Budget | None = None) -> None:
        """Raise Nonconformity if the game does not meet the demand."""
        try:
            self.function(game, budget or usual_budget())
        except Nonconformity as found:
            found.check = self.name
            raise
        except Exception as other:  # a stranger's game may raise anything
            raised = Nonconformity(game, f"{type(other).__name__}: {other}")
            raised.check = self.name
            raise raised from other


CHECKS = tuple(
    Check(function.__name__, function)
    for function in (
        word_checks.rulebooks_agree,
        word_checks.words_agree,
        word_checks.texts_are_reversible,
        word_checks.parsing_forgives,
        word_checks.refusals_have_words,
        record_checks.deals_are_determined,
        record_checks.bytes_are_defined,
        record_checks.copies_are_independent,
        record_checks.questions_change_nothing,
        walk_checks.random_play_ends,
        walk_checks.nothing_is_broken,
        walk_checks.moves_are_in_order,
        walk_checks.refusals_agree,
        walk_checks.turns_fit,
        walk_checks.scores_are_in_bounds,
        word_checks.ends_have_reasons,
        walk_checks.sights_are_whole,
        walk_checks.movers_know_their_move,
        walk_checks.nothing_leaks,
        walk_checks.disguise_reaches_everything,
        walk_checks.imagination_fits,
        walk_checks.observations_are_whole,
        view_checks.glimpses_fit,
        policy_checks.ratings_are_honest,
        policy_checks.evaluations_are_in_bounds,
        policy_checks.beliefs_are_chances,
        view_checks.views_are_whole,
        view_checks.moves_are_told,
        view_checks.views_keep_secrets,
        view_checks.events_keep_secrets,
        record_checks.records_replay,
        mode_checks.modes_agree,
    )
)


def failures(game: Game, budget: Budget | None = None) -> Iterator[Nonconformity]:
    """Yield what each check finds, in their order."""
    for check in CHECKS:
        try:
            check.run(game, budget)
        except Nonconformity as found:
            yield found


def assert_conforms(game: Game, budget: Budget | None = None) -> None:
    """Raise the first thing that breaks the contract, if there is one."""
    for check in CHECKS:
        check.run(game, budget)
