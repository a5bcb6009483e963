"""The conformance suite: checks that a game fulfils the contract (docs/contract.md)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tablee.core.game import Game
from tablee.testing import (
    feature_checks,
    folder_checks,
    imagination_checks,
    lesson_checks,
    mode_checks,
    move_checks,
    policy_checks,
    puzzle_checks,
    state_checks,
    view_checks,
    walk_checks,
    word_checks,
    write_checks,
)
from tablee.testing.budget import BUDGETS, Budget, usual_budget
from tablee.testing.nonconformity import Nonconformity, raised_by_game


@dataclass(frozen=True)
class Check:
    """One requirement of the contract, and the function that raises Nonconformity if a game does not meet it."""

    name: str
    function: Callable[[Game, Budget], None]

    def run(self, game: Game, budget: Budget | None = None) -> None:
        """Raise Nonconformity if the game does not meet the requirement."""
        budget = budget or usual_budget()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)  # NumPy's of an overflow or a division by zero
                self.function(game, budget)
        except Nonconformity as found:
            self._sign(found, budget)
            raise
        except Exception as error:  # third-party code may raise anything
            raised = raised_by_game(game, error)
            self._sign(raised, budget)
            raise raised from error

    def _sign(self, nonconformity: Nonconformity, budget: Budget) -> None:
        """Write into a nonconformity which check has found it, with which budget."""
        nonconformity.check = self.name
        is_usual = budget.name == usual_budget().name or budget.name not in BUDGETS
        nonconformity.budget = "" if is_usual else budget.name


CHECKS = tuple(
    Check(function.__name__, function)
    for function in (
        folder_checks.manifest_is_light,
        word_checks.rulebooks_agree,
        folder_checks.clauses_have_tests,
        folder_checks.tests_are_own,
        word_checks.words_agree,
        word_checks.texts_are_reversible,
        word_checks.parsing_is_lenient,
        word_checks.typed_moves_are_understood,
        word_checks.refusals_have_words,
        state_checks.codes_are_declared,
        state_checks.deals_are_reproducible,
        state_checks.bytes_are_defined,
        state_checks.copies_are_independent,
        state_checks.queries_change_nothing,
        walk_checks.random_play_ends,
        walk_checks.invariants_hold,
        walk_checks.moves_are_in_order,
        move_checks.random_moves_are_listed,
        walk_checks.refusals_agree,
        walk_checks.turns_fit,
        walk_checks.scores_are_in_bounds,
        walk_checks.ranks_follow_scores,
        walk_checks.rounds_advance,
        walk_checks.scores_follow_rounds,
        walk_checks.rounds_are_public,
        word_checks.ends_have_reasons,
        walk_checks.sights_are_complete,
        walk_checks.movers_know_their_move,
        move_checks.sights_show_known_moves,
        walk_checks.nothing_leaks,
        walk_checks.disguise_reaches_everything,
        walk_checks.imagined_worlds_fit,
        imagination_checks.imagined_worlds_vary,
        imagination_checks.imagined_worlds_are_exchangeable,
        walk_checks.observations_are_complete,
        move_checks.options_are_observed,
        feature_checks.move_features_are_distinct,
        view_checks.glimpses_fit,
        write_checks.results_are_written_once,
        policy_checks.ratings_use_only_the_sight,
        policy_checks.evaluations_are_in_bounds,
        policy_checks.beliefs_are_probabilities,
        policy_checks.stages_end_alike,
        view_checks.views_are_valid,
        view_checks.ids_name_positions,
        view_checks.round_views_are_valid,
        view_checks.moves_are_told,
        view_checks.views_keep_secrets,
        view_checks.round_views_keep_secrets,
        view_checks.events_keep_secrets,
        lesson_checks.lesson_is_true,
        puzzle_checks.puzzles_are_legal,
        state_checks.records_replay,
        mode_checks.modes_agree,
    )
)


def failures(game: Game, budget: Budget | None = None) -> Iterator[Nonconformity]:
    """Yield the nonconformity that each check finds, in the order of CHECKS."""
    for check in CHECKS:
        try:
            check.run(game, budget)
        except Nonconformity as found:
            yield found


def assert_conforms(game: Game, budget: Budget | None = None) -> None:
    """Raise Nonconformity for the first check that fails, if any does."""
    for check in CHECKS:
        check.run(game, budget)
