"""Datasets: complete rows, resumable shards, every source, bit-exact replay, Minari."""

import gzip
import json
import shutil
import weakref
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tablee.arena.contest import Contest
from tablee.arena.matches import play_game
from tablee.core.errors import BadSetup, TableeError
from tablee.core.match import Match
from tablee.core.registry import all_games, find_game
from tablee.core.state import state_digest
from tablee.datasets import minari as minari_export
from tablee.datasets.columns import columns
from tablee.datasets.minari import export_to_minari
from tablee.datasets.production import write_bot_games, write_recorded_games
from tablee.datasets.rows import PlayedGame
from tablee.datasets.shards import Dataset, DatasetMismatch, games_of, verify_dataset
from tablee.datasets.sources import bot_tasks, recorded_games
from tablee.records import Record

GAME = "skyjo"
FIXTURES = Path(__file__).parent / "fixtures"
SETTINGS = {"reward": "round", "observations": True, "games_per_shard": 2, "source": "a test"}


class HerePool:
    """Runs tasks at once, in this process."""

    def submit(self, function, argument):
        from concurrent.futures import Future

        future = Future()
        future.set_result(function(argument))
        return future


def bot_contest(name=GAME, seats=2, bots=("random",), seed=1, **options):
    game = find_game(name)
    return Contest("dataset", game, game.setup(seats, options), (bots,), seed)


def write(folder, games=5, contest=None, **settings):
    contest = contest or bot_contest()
    dataset = Dataset.create(folder, contest.game, **{**SETTINGS, **settings})
    write_bot_games(dataset, list(bot_tasks(contest, games)), 2, HerePool(), 1, lambda done: None)
    return dataset


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return write(tmp_path_factory.mktemp("dataset") / "games")


def rows_of(dataset):
    return [row for path in dataset.shards() for row in pq.read_table(path).to_pylist()]


def test_games_are_divided_among_shards_and_numbered_in_order(written):
    assert [written.games_in(shard) for shard in range(4)] == [2, 2, 1, 0]
    assert [path.name for path in written.shards()] == [f"part-0000{shard}.parquet" for shard in range(3)]
    numbers = [row["game_number"] for row in rows_of(written)]
    assert numbers == sorted(numbers)
    assert set(numbers) == set(range(5))


def test_every_row_is_what_a_match_with_that_seed_shows(written):
    match = None
    for row in rows_of(written):
        if row["move_number"] == 0:
            options = find_game(GAME).parse_options(row["options"].split())
            match = Match(row["game"], seats=row["seats"], options=options, seed=int(row["seed"]), stream=row["stream"])
        assert row["mover"] == match.to_move
        assert row["legal"] == match.legal_moves()
        assert row["round"] == match.finished_rounds()
        assert np.array_equal(np.float32(row["observation"]), match.sight(match.to_move).observe())
        match.play(row["move"])
        assert row["digest"] == state_digest(match.state)
        assert row["ended"] == match.is_over
    assert match.is_over


def test_rewards_by_round_sum_to_the_lead_over_the_game(written):
    for rows in [next(games_of(path)) for path in written.shards()]:
        played = PlayedGame.from_rows(rows)
        match = Match(played.game, seats=2, seed=played.seed, stream=played.stream)
        for move in played.moves:
            match.push(move)
        own, other = match.scores()
        total = np.sum(rows["reward"].to_pylist(), axis=0)
        assert total[0] == pytest.approx((other - own) / played.game.round_scale)
        assert total.sum() == 0


def test_players_are_bots_with_their_versions(written):
    kinds = {kind for row in rows_of(written) for kind in row["players"]}
    assert {kind.split()[0] for kind in kinds} == {"random"}
    assert all(len(kind.split()) == 2 for kind in kinds)


def test_the_metadata_of_every_file_describes_the_dataset(written):
    for path in written.shards():
        schema = pq.read_schema(path)
        described = json.loads(schema.metadata[b"tablee"])
        assert described["game"] == GAME
        assert described["version"] == find_game(GAME).version
        assert described["observation_layout"] == find_game(GAME).kernels.observation.digest
        assert all(field.metadata[b"meaning"] for field in schema)


def test_the_same_command_plays_the_same_games(written, tmp_path):
    again = write(tmp_path / "again")
    assert rows_of(again) == rows_of(written)


def test_a_dataset_is_continued_where_it_was_left(written, tmp_path):
    folder = tmp_path / "left"
    shutil.copytree(written.folder, folder)
    (folder / "part-00001.parquet").unlink()
    kept = (folder / "part-00000.parquet").stat().st_mtime_ns
    continued = write(folder)
    assert (folder / "part-00000.parquet").stat().st_mtime_ns == kept
    assert rows_of(continued) == rows_of(written)


def test_more_games_complete_the_last_shard(written, tmp_path):
    folder = tmp_path / "more"
    shutil.copytree(written.folder, folder)
    longer = write(folder, games=6)
    assert [longer.games_in(shard) for shard in range(3)] == [2, 2, 2]
    assert rows_of(longer)[: len(rows_of(written))] == rows_of(written)


def test_a_shard_that_is_interrupted_leaves_nothing(tmp_path):
    def interrupted():
        yield PlayedGame.of(play_one())
        raise KeyboardInterrupt

    dataset = Dataset.create(tmp_path / "games", find_game(GAME), **SETTINGS)
    with pytest.raises(KeyboardInterrupt):
        dataset.write_shard(0, 0, interrupted())
    assert [path.name for path in dataset.folder.iterdir()] == ["dataset.json"]


def play_one(contest=None):
    _, text = play_game(next(bot_tasks(contest or bot_contest(), 1)))
    return Record.parse(text)


@pytest.mark.parametrize(
    ("changed", "message"),
    [({"reward": "ranks"}, "reward is 'round', not 'ranks'"), ({"observations": False}, "observations is True")],
)
def test_another_dataset_is_not_mixed_in(changed, message, written, tmp_path):
    folder = tmp_path / "other"
    shutil.copytree(written.folder, folder)
    with pytest.raises(BadSetup, match=message):
        write(folder, **changed)


def test_what_a_killed_run_had_not_completed_is_removed(written, tmp_path):
    folder = tmp_path / "games"
    folder.mkdir()
    leftover = folder / ".0123456789abcdef.new"  # as a run leaves it that was killed at its description, or at a shard
    for _ in range(2):
        leftover.write_bytes(b"PAR1")
        write(folder)
        assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in written.folder.iterdir())


def test_a_folder_with_other_files_is_refused(tmp_path):
    (tmp_path / "holiday.jpg").touch()
    with pytest.raises(BadSetup, match="not empty, and not a dataset"):
        Dataset.create(tmp_path, find_game(GAME), **SETTINGS)


def test_a_dataset_replays_bit_by_bit(written):
    assert verify_dataset(written.folder) == (5, len(rows_of(written)))


@pytest.mark.parametrize(
    ("column", "change"),
    [
        ("move", lambda move: 1000),
        ("digest", lambda digest: "0" * 16),
        ("reward", lambda rewards: [rewards[0] + 2**-40, *rewards[1:]]),
        ("observation", lambda numbers: [numbers[0] + 1e-3, *numbers[1:]]),
        ("seed", lambda seed: str(int(seed) + 1)),
    ],
)
def test_a_changed_row_is_found(column, change, written, tmp_path):
    folder = tmp_path / "forged"
    shutil.copytree(written.folder, folder)
    path = folder / "part-00001.parquet"
    table = pq.read_table(path)
    values = table[column].to_pylist()
    values[0] = change(values[0])
    index = table.schema.get_field_index(column)
    field = table.schema.field(index)
    pq.write_table(table.set_column(index, field, pa.array(values, field.type)), path)
    with pytest.raises(DatasetMismatch, match=r"part-00001\.parquet, game 2"):
        verify_dataset(folder)


@pytest.mark.parametrize("game", [game.name for game in all_games()])
def test_every_game_replays(game, tmp_path):
    contest = bot_contest(game, seats=find_game(game).usual_seats, bots=("greedy",))
    dataset = Dataset.create(tmp_path / "games", contest.game, **{**SETTINGS, "reward": "ranks"})
    dataset.write_shard(0, 0, [PlayedGame.of(play_one(contest))])
    games, moves = verify_dataset(dataset.folder)
    assert games == 1
    assert moves > 0


def test_records_of_an_arena_become_rows(tmp_path):
    for number in range(2):
        _, text = play_game(list(bot_tasks(bot_contest(bots=("greedy", "random")), 2))[number])
        (tmp_path / "records").mkdir(exist_ok=True)
        (tmp_path / "records" / f"{number}.tablee").write_text(text)
    dataset = Dataset.create(tmp_path / "dataset", find_game(GAME), **SETTINGS)
    games = recorded_games(str(tmp_path / "records"), find_game(GAME))
    assert write_recorded_games(dataset, games, 2, lambda done: None) == 2
    assert verify_dataset(dataset.folder)[0] == 2


def test_finished_games_of_a_server_become_rows_without_names(tmp_path):
    database = tmp_path / "tables.db"
    database.write_bytes(gzip.decompress((FIXTURES / "b462916-server" / "tables.db.gz").read_bytes()))
    dataset = Dataset.create(tmp_path / "dataset", find_game(GAME), **SETTINGS)
    count = write_recorded_games(dataset, recorded_games(str(database), find_game(GAME)), 2, lambda done: None)
    assert count >= 1
    kinds = {kind for row in rows_of(dataset) for kind in row["players"]}
    assert "person" in kinds
    assert all(kind == "person" or len(kind.split()) == 2 for kind in kinds)
    assert verify_dataset(dataset.folder)[0] == count


def test_the_page_explains_every_column():
    page = (Path(__file__).parents[1] / "docs" / "datasets.md").read_text(encoding="utf-8")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    explained = {name.strip("| `"): meaning.rstrip(" |") for name, _, meaning in rows}
    assert explained == {column.name: column.meaning for column in columns(find_game(GAME), True)}


@pytest.mark.parametrize("source", ["no-such-file", "folder"])
def test_a_source_without_games_says_so(source, tmp_path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(TableeError, match=r"no records|neither a folder"):
        list(recorded_games(str(tmp_path / source), find_game(GAME)))


def test_minari_has_an_episode_per_seat(written, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    export_to_minari(written.folder, f"{GAME}/test-v0")
    exported = minari.load_dataset(f"{GAME}/test-v0")
    assert exported.total_episodes == 10
    rows = rows_of(written)
    assert exported.total_steps == len(rows)
    own = [row for row in rows if row["game_number"] == 0 and row["mover"] == 0]
    episode = exported[0]
    assert list(episode.actions) == [row["move"] for row in own]
    assert np.array_equal(episode.observations["observation"][0], np.float32(own[0]["observation"]))
    assert list(np.flatnonzero(episode.observations["action_mask"][0])) == own[0]["legal"]
    whole = sum(row["reward"][0] for row in rows if row["game_number"] == 0)
    assert sum(episode.rewards) == pytest.approx(whole)
    assert list(episode.terminations).index(True) == len(own) - 1


def test_a_minari_dataset_is_written_episode_by_episode(written, tmp_path, monkeypatch):
    """An episode of a game with many moves holds their masks: megabytes, of which only one episode's are kept."""
    pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    episodes, alive = minari_export._episodes, []

    def watched(dataset):
        for episode in episodes(dataset):
            alive.append(weakref.ref(episode))
            assert sum(one() is not None for one in alive) <= 2  # this one, and that which Minari holds until it has it
            yield episode

    monkeypatch.setattr(minari_export, "_episodes", watched)
    export_to_minari(written.folder, f"{GAME}/test-v0")
    assert len(alive) == 10


def test_an_interrupted_export_to_minari_leaves_nothing(written, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    episodes = minari_export._episodes

    def interrupted(dataset):
        yield next(iter(episodes(dataset)))
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(minari_export, "_episodes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            export_to_minari(written.folder, f"{GAME}/test-v0")
    export_to_minari(written.folder, f"{GAME}/test-v0")
    assert minari.load_dataset(f"{GAME}/test-v0").total_episodes == 10
