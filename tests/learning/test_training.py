"""Runs of the learner on the CPU: legal moves, resumed runs, rewards that are felt, and a tiny game learned."""

import json
from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tablee import find_game  # noqa: E402
from tablee.bots.network_files import SETTING  # noqa: E402
from tablee.bots.roster import make_bot, names_in  # noqa: E402
from tablee.core.errors import TableeError  # noqa: E402
from tablee.core.match import Match  # noqa: E402
from tablee.learning import rollouts, tables, training  # noqa: E402
from tablee.learning.checkpoints import (  # noqa: E402
    BadCheckpoint,
    commits_with,
    read_checkpoint,
    write_checkpoint,
)
from tablee.learning.choices import MaskedChoices  # noqa: E402
from tablee.learning.curves import draw_curves, read_log  # noqa: E402
from tablee.learning.evaluation import evaluate  # noqa: E402
from tablee.learning.export import export, exported_network, read_start  # noqa: E402
from tablee.learning.networks import count_weights  # noqa: E402
from tablee.learning.rollouts import collect  # noqa: E402
from tablee.learning.settings import DEMO, changed, settings_for  # noqa: E402
from tablee.learning.training import Trainer, TrainingBudget, new_run, new_stage  # noqa: E402

SMALL = replace(
    DEMO,
    games=25,
    groups=5,
    usual_groups=2,
    pool_groups=2,
    greedy_groups=1,
    steps=12,
    iterations=2,
    minibatch=100,
    max_weights=30_000,
)
TINY = replace(
    DEMO,
    games=64,
    groups=1,
    usual_groups=1,
    pool_groups=0,
    steps=16,
    minibatch=128,
    learning_rate=3e-3,
    width=64,
    reduction="tiny",
)  # 8,192 moves per generation


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def trainer_of(name, settings, seed=1):
    game = find_game(name)
    return Trainer(game, new_run(game, settings, seed))


def weights_of(trainer):
    return torch.cat([parameter.detach().flatten() for parameter in trainer.network.parameters()])


@pytest.mark.parametrize("name", ["skyjo", "lexio", "xe_queo"])
def test_every_move_played_is_legal(name, monkeypatch):
    trainer = trainer_of(name, SMALL)
    trainer.pool = [trainer.network]
    original = tables.Batch
    monkeypatch.setattr(tables, "Batch", lambda *a, **k: original(*a, checked=True, **k))
    seeds = np.random.default_rng(1)
    groups = tables.draw_groups(trainer.game, SMALL, trainer.pool, seeds, "cpu")
    assert [group.opponent is not None for group in groups] == [True, False, False, True, False]
    assert [isinstance(group, tables.GreedyGroup) for group in groups] == [False, True, False, False, False]
    samples = collect(trainer.network, groups, 30, 0.95, torch.Generator().manual_seed(1))  # raises IllegalMove
    if isinstance(samples.choices, MaskedChoices):
        assert samples.choices.mask.gather(1, samples.moves[:, None]).all()
    assert 0 < len(samples.rows) < len(samples.moves)


def test_only_the_learner_s_decisions_are_learned_from(monkeypatch):
    trainer, steps = trainer_of("skyjo", SMALL), []
    original = rollouts._play_step
    monkeypatch.setattr(rollouts, "_play_step", lambda *a: steps.append(original(*a)) or steps[-1])
    groups = tables.draw_groups(trainer.game, SMALL, [trainer.network], np.random.default_rng(1), "cpu")
    samples = collect(trainer.network, groups, 30, 0.95, torch.Generator().manual_seed(1))
    is_own = torch.stack([step.is_own for step in steps]).flatten()
    assert is_own[samples.rows].all()
    assert not is_own.all()


def test_the_learner_has_a_seat_at_every_table():
    trainer = trainer_of("skyjo", replace(SMALL, games=250))
    groups = tables.draw_groups(trainer.game, trainer.settings, [trainer.network], np.random.default_rng(1), "cpu")
    assert all(group.own.any(dim=1).all() for group in groups)
    assert not all(group.own.all() for group in groups)


def test_every_generation_deals_other_games_and_the_learning_rate_falls(monkeypatch):
    seeds, rates = [], []
    batch, update = tables.Batch, training.update
    monkeypatch.setattr(tables, "Batch", lambda *a, seed, **k: seeds.append(seed) or batch(*a, seed=seed, **k))
    monkeypatch.setattr(
        training, "update", lambda *a: rates.append(a[1].param_groups[0]["lr"] / SMALL.learning_rate) or update(*a)
    )
    trainer = trainer_of("skyjo", SMALL)
    for _ in range(2):
        trainer.run_generation(TrainingBudget(generations=2), lambda figures: None)
    assert len(set(seeds)) == len(seeds) == 2 * SMALL.groups
    assert rates == pytest.approx([1, 0.75, 0.5, 0.25])


def test_a_resumed_run_gives_the_same_bits(tmp_path):
    whole = trainer_of("skyjo", SMALL)
    whole.run(TrainingBudget(generations=4), tmp_path / "whole")
    first = trainer_of("skyjo", SMALL)
    for _ in range(2):
        first.run_generation(TrainingBudget(generations=4), lambda figures: None)
    write_checkpoint(first.checkpoint(), tmp_path / "parts.pt")
    second = Trainer(whole.game, read_checkpoint(tmp_path / "parts.pt", whole.game))
    second.run(TrainingBudget(generations=4), tmp_path / "parts")
    assert torch.equal(weights_of(whole), weights_of(second))
    assert not torch.equal(weights_of(whole), weights_of(first))


def test_a_checkpoint_of_something_else_is_refused_with_a_sentence(tmp_path):
    (tmp_path / "text.pt").write_text("no checkpoint")
    with pytest.raises(BadCheckpoint, match=r"text\.pt is not a checkpoint"):
        read_checkpoint(tmp_path / "text.pt")
    write_checkpoint(trainer_of("skyjo", SMALL).checkpoint(), tmp_path / "skyjo.pt")
    with pytest.raises(BadCheckpoint, match="is a checkpoint of skyjo, not of xylo"):
        read_checkpoint(tmp_path / "skyjo.pt", find_game("xylo"))


def test_a_checkpoint_names_every_commit_that_trained_it(monkeypatch):
    monkeypatch.setenv("TABLEE_COMMIT", "abc+")
    assert trainer_of("skyjo", SMALL).checkpoint().commit == "abc+"
    assert commits_with("abc+") == "abc+"
    assert commits_with("012 345") == "012 345 abc+"


def learned(sign, monkeypatch):
    """Train on tiny Skyjo with rewards times `sign`; return how it does against random moves."""
    original = tables.TableGroup.step

    def step(group, moves):
        rewards, ended = original(group, moves)
        return sign * rewards, ended

    monkeypatch.setattr(tables.TableGroup, "step", step)
    trainer = trainer_of("skyjo", TINY)
    trainer.run_generation(TrainingBudget(generations=1), lambda figures: None)
    return evaluate(trainer.network, trainer.game, trainer.game.setup(reduction="tiny"), "random", deals=30)


def test_tiny_skyjo_is_learned_and_a_broken_sign_of_rewards_is_noticed(monkeypatch):
    right, broken = learned(1, monkeypatch), learned(-1, monkeypatch)
    assert right.lead - right.lead_error > 0
    assert broken.lead + broken.lead_error < 0


def test_games_of_mixed_play_are_drawn_towards_earlier_play():
    mixed, plain = settings_for(find_game("xe_queo")), settings_for(find_game("skyjo"))
    assert mixed.last_entropy > plain.last_entropy
    assert mixed.magnet > plain.magnet == 0


def test_the_weight_of_the_entropy_falls_by_equal_factors():
    settings = replace(DEMO, entropy=0.08, last_entropy=0.02)
    assert [settings.entropy_weight(share) for share in (0, 0.5, 1)] == pytest.approx([0.08, 0.04, 0.02])
    assert replace(settings, last_entropy=0.0).entropy_weight(0.5) == pytest.approx(0.04)


@pytest.mark.parametrize("name", ["skyjo", "lexio"])
def test_a_strong_magnet_keeps_the_policy_where_it_was(name):
    moved = []
    for magnet in (0.0, 100.0):
        trainer = trainer_of(name, replace(SMALL, magnet=magnet, iterations=1, entropy=0.0, last_entropy=0.0))
        groups = tables.draw_groups(trainer.game, SMALL, [], np.random.default_rng(2), "cpu")
        before, _ = trainer.network(groups[0].observations.clone(), groups[0].choices())
        position = groups[0].observations.clone(), groups[0].choices()
        trainer.run_generation(TrainingBudget(generations=1), lambda figures: None)
        after, _ = trainer.network(*position)
        moved.append(float(after.divergence(before).mean().detach()))
    assert moved[0] > 4 * moved[1] >= 0


def test_at_tables_with_greedy_only_the_learner_is_asked():
    game = find_game("skyjo")
    groups = tables.draw_groups(game, SMALL, [], np.random.default_rng(2), "cpu")
    group = next(group for group in groups if isinstance(group, tables.GreedyGroup))
    for _ in range(20):
        assert (group.movers == torch.arange(5) % 4).all()
        moves = torch.tensor([int(row[0]) for row in group.batch.legal])
        rewards, _ = group.step(moves)
    assert rewards.shape == (5, 4)


def test_settings_are_changed_by_name():
    settings = changed(DEMO, ["magnet=0.2", "greedy_groups=1", "reduction=tiny"])
    assert (settings.magnet, settings.greedy_groups, settings.reduction) == (0.2, 1, "tiny")
    with pytest.raises(TableeError, match="no setting 'magnets' of training; did you mean 'magnet'"):
        changed(DEMO, ["magnets=1"])
    with pytest.raises(TableeError, match="greedy_groups of training is a number, not 'one'"):
        changed(DEMO, ["greedy_groups=one"])


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("groups", 0), ("games", 1), ("usual_groups", 3), ("greedy_groups", 3), ("minibatch", 0), ("steps", 1)),
        *(("learning_rate", "nan"), ("learning_rate", -1), ("entropy", "inf"), ("trace", 1.1)),
        ("max_weights", 1_000_001),
    ],
)
def test_numbers_with_which_no_run_is_possible_are_refused(name, value):
    with pytest.raises(TableeError, match=f"the setting {name} of training is from"):
        changed(DEMO, [f"{name}={value}"])


def test_a_network_of_the_most_weights_fits_in_a_file_for_bots(tmp_path):
    trainer = trainer_of("skyjo", changed(DEMO, ["max_weights=1000000", "width=4000"]))
    assert count_weights(trainer.network) > 900_000
    export(trainer.game, trainer.checkpoint(), tmp_path / "network.npz")  # raises if it is too large


def test_a_checkpoint_of_other_layers_is_refused_with_a_sentence():
    start = trainer_of("skyjo", SMALL).checkpoint()
    with pytest.raises(BadCheckpoint, match="other layers than one of 60,000 weights and 128 of width"):
        Trainer(find_game("skyjo"), replace(start, settings=replace(SMALL, max_weights=60_000)))


def test_a_new_stage_begins_with_the_network_of_a_finished_run():
    first = trainer_of("skyjo", SMALL)
    first.run_generation(TrainingBudget(generations=1), lambda figures: None)
    finished = first.checkpoint()
    start = new_stage(finished, replace(SMALL, entropy=0.02), seed=7)
    second = Trainer(first.game, start)
    assert torch.equal(weights_of(first), weights_of(second))
    assert (start.seconds, start.seed, start.moves, len(second.pool)) == (0.0, 7, finished.moves, 1)


@pytest.mark.parametrize("name", ["skyjo", "lexio"])
def test_a_new_stage_begins_with_the_network_of_a_file_for_bots(name, tmp_path):
    first = trainer_of(name, SMALL)
    first.run_generation(TrainingBudget(generations=1), lambda figures: None)
    finished = first.checkpoint()
    export(first.game, finished, tmp_path / "network.npz")
    start = new_stage(read_start(tmp_path / "network.npz", first.game), SMALL, seed=7)
    second = Trainer(first.game, start)
    assert torch.equal(weights_of(first).half(), weights_of(second).half())
    assert (start.seconds, start.seed, start.moves, len(second.pool)) == (0.0, 7, finished.moves, 1)


@pytest.mark.parametrize("name", ["skyjo", "lexio"])
def test_an_exported_network_rates_moves_as_the_trained_one(name, tmp_path, monkeypatch):
    trainer = trainer_of(name, SMALL)
    network = exported_network(trainer.game, trainer.checkpoint())
    match = Match(trainer.game, seed=3)
    group = tables.draw_groups(trainer.game, SMALL, [], np.random.default_rng(2), "cpu")[0]
    distribution, values = trainer.network(group.observations, group.choices())
    for row in range(4):
        moves = group.batch.legal[row, : group.batch.counts[row]]
        ratings, value = network.rate(group.batch.observations[row], moves)
        expected = distribution.log_probabilities[row][moves.tolist()] if name == "skyjo" else None
        if expected is None:
            expected = distribution.log_probabilities[distribution.positions == row]
        ratings = torch.from_numpy(ratings).log_softmax(dim=0)
        assert torch.allclose(ratings, expected, atol=2e-3)
        assert value == pytest.approx(float(values[row].detach()), abs=2e-3)
    export(trainer.game, trainer.checkpoint(), tmp_path / f"{name}.npz")
    monkeypatch.setenv(SETTING, str(tmp_path))
    assert "prodigy" in names_in(trainer.game)
    decision = make_bot("prodigy", trainer.game, 1).decide(match.sight(match.to_move), match.legal_moves())
    assert decision.move in match.legal_moves()


def test_a_run_leaves_a_log_and_curves(tmp_path):
    pytest.importorskip("matplotlib")
    trainer = trainer_of("skyjo", SMALL)
    trainer.run(TrainingBudget(generations=2), tmp_path)
    log = read_log(tmp_path / training.LOG)
    assert [(line["generation"], line["iteration"]) for line in log] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert log[-1]["moves"] == 4 * SMALL.games * SMALL.steps
    draw_curves(log, "Skyjo", tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_a_log_has_what_the_checkpoint_has_seen_and_nothing_of_another_run(tmp_path):
    trainer = trainer_of("skyjo", SMALL)
    lines = [{"generation": number, "iteration": 0, "moves": -1} for number in range(3)]
    cut_off = '{"generation": 3, "iter'
    (tmp_path / training.LOG).write_text("".join(json.dumps(line) + "\n" for line in lines) + cut_off)
    trainer.state.generation = 1
    trainer.run(TrainingBudget(generations=2), tmp_path)
    log = read_log(tmp_path / training.LOG)
    assert [(line["generation"], line["iteration"]) for line in log] == [(0, 0), (1, 0), (1, 1)]
    assert log[0] == lines[0]


def test_the_command_trains_resumes_and_refuses(tmp_path):
    from typer.testing import CliRunner

    from tablee.cli.shared import app

    def run(*arguments):
        return CliRunner().invoke(app, ["train", "skyjo", "--lang", "en", *arguments])

    small = ["--small", "--reduction", "tiny", "--minutes", "0.01", "--out", str(tmp_path)]
    result = run(*small)
    assert result.exit_code == 0, result.output
    assert "Against 1 × greedy" in result.output
    files = {"checkpoint.pt", "curves.png", "log.jsonl", "network.npz"}
    assert {path.name for path in tmp_path.iterdir()} == files
    before = read_checkpoint(tmp_path / "checkpoint.pt")
    result = run(
        "--resume",
        str(tmp_path / "checkpoint.pt"),
        "--minutes",
        str(before.seconds / 60 + 0.01),
        *small[-2:],
        "--entropy",
        "0.02",
    )
    assert result.exit_code == 0, result.output
    after = read_checkpoint(tmp_path / "checkpoint.pt")
    assert after.generation > before.generation
    assert (after.settings.entropy, after.settings.reduction) == (0.02, "tiny")
    for arguments, message in (
        (["--small", "--reduction", "huge", "--out", str(tmp_path / "other")], "no reduction 'huge'"),
        (small, "has the checkpoint of a run"),
        (["--resume", str(tmp_path / "checkpoint.pt"), "--minutes", "0.01"], "generations in 0.0 minutes already"),
        (["--evaluate", "--out", str(tmp_path / "other")], "other has no network.npz"),
        (["--evaluate", "--out", str(tmp_path)], "plays the reduction 'tiny'"),
    ):
        error = run(*arguments).exception
        assert isinstance(error, TableeError), arguments
        assert message in str(error)
    for arguments in (
        ["--resume", str(tmp_path / "checkpoint.pt"), "--seed", "2"],
        ["--evaluate", "--reduction", "tiny"],
    ):
        assert run(*arguments).exit_code == 2


def test_an_interrupted_run_goes_on_where_it_was_with_the_same_bits(tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from tablee.cli.shared import app

    def run(*arguments):
        return CliRunner().invoke(app, ["train", "skyjo", "--lang", "en", "--generations", "3", *arguments])

    def interrupted_at(generation, original=Trainer.run_generation):
        def run_generation(trainer, budget, report):
            if trainer.state.generation == generation:
                raise KeyboardInterrupt
            original(trainer, budget, report)

        return run_generation

    small = ["--small", "--reduction", "tiny", "--set", "iterations=2", "--out"]
    assert run(*small, str(tmp_path / "whole")).exit_code == 0
    for generation, message in ((0, "before the first checkpoint"), (1, "--resume goes on")):
        with monkeypatch.context() as patch:
            patch.setattr(Trainer, "run_generation", interrupted_at(generation))
            result = run(*small, str(tmp_path / "parts"))
        assert (result.exit_code, message in result.output) == (130, True)
    assert run("--resume", str(tmp_path / "parts" / "checkpoint.pt")).exit_code == 0
    whole, parts = (read_checkpoint(tmp_path / name / "checkpoint.pt") for name in ("whole", "parts"))
    assert all(torch.equal(tensor, parts.network[name]) for name, tensor in whole.network.items())
    lines = [read_log(tmp_path / name / training.LOG) for name in ("whole", "parts")]
    assert [{**line, "seconds": 0} for line in lines[0]] == [{**line, "seconds": 0} for line in lines[1]]
