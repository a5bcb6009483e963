"""The coach: it helps where all people agree and at no rated table, by what a seat knows and nothing else."""

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import numpy as np
import pytest

from played_tables import ANA, BEN, EVE, SECRETS, Played
from server_process import Guest, serving
from tablee import Match, all_games, find_game
from tablee.core.errors import TableeError
from tablee.core.languages import languages
from tablee.core.randomness import new_generator
from tablee.core.sight import Sight
from tablee.core.state import copy_state
from tablee.core.words import common
from tablee.protocol.stored import decode_summary
from tablee.review.advice import Advice, AdviceDepth, Adviser, JudgedMove, MoveCounts, fact_finder
from tablee.review.coach import Coach, CoachFailed, CoachProcess
from tablee.review.coach_tasks import AdviceTask, BeliefTask, CoachAnswer, CoachTask, decode_task, encode_line
from tablee.review.coach_worker import think
from tablee.review.evaluation import NEVER, Comparison, Evaluator
from tablee.review.hint_wording import tell_hint
from tablee.server.live_table import table_addition
from tablee.server.table_coach import TableCoach
from tablee.tables.available_commands import available_commands
from tablee.tables.coaching import check_coached
from tablee.tables.commands import AcceptCoach, ChangeSetup, Claim, DeclineCoach, Leave, ProposeEnd, RemovePlayer
from tablee.tables.creation import TableRequest, lesson_table, rematch_table
from tablee.tables.events import Created, SetupChanged, decode_event
from tablee.tables.evolution import rebuild_table
from tablee.tables.forks import Fork, fork_table
from tablee.tables.presentation import table_shown
from tablee.tables.refusals import Refused
from tablee.terminal.addresses import Address
from tablee.terminal.local_host import LocalHost
from tablee.terminal.plain import PlainFrontEnd
from tablee.terminal.screens import join_table
from terminals import LARGE, play, running, shown, until
from terminals import settings as terminal_settings
from test_plain import Script

TINY = AdviceDepth(screening=1, choosing=2, judging=2, counting=2)


def coached(people=2, **request):
    """Return a table of Skyjo with a coach at which all people sit; only the maker has agreed."""
    options = {"opening": "auto"}
    played = Played(TableRequest("skyjo", seats=people, **{"options": options, "coach": True, **request}))
    for actor in (BEN, EVE)[: people - 1]:
        played.do(Claim(None, "invite"), actor)
    return played


def names_of(played, actor):
    table = played.table
    return {command.type for command in available_commands(table, table.viewer_of(actor.person), "en")}


# Consent


def test_the_coach_is_on_while_all_people_agree():
    played = coached(people=3)
    assert not played.table.is_coached
    assert played.do(AcceptCoach(), BEN) == ["coach_accepted"]
    assert not played.table.is_coached
    assert table_shown(played.table, -1, "en").coach.waiting == (2,)
    played.do(AcceptCoach(), EVE)
    assert played.table.is_coached
    assert table_shown(played.table, -1, "en").coach.is_on
    assert played.refuses(AcceptCoach(), EVE).code == "nothing_to_do"
    assert played.do(DeclineCoach(), BEN) == ["coach_declined"]
    assert not played.table.is_coached
    assert played.refuses(DeclineCoach(), BEN).code == "nothing_to_do"


def test_a_person_who_sits_down_has_not_agreed():
    played = coached(people=2)
    played.do(AcceptCoach(), BEN)
    played.do(Leave(), BEN)
    assert played.table.is_coached  # all who are left have agreed
    played.do(Claim(None, "invite"), EVE)
    assert not played.table.is_coached
    played.do(RemovePlayer(1, "other"), ANA)
    assert played.table.is_coached
    returned = coached(people=2)
    returned.do(AcceptCoach(), BEN)
    returned.do(Leave(), BEN)
    returned.do(Claim(None, "invite"), BEN)
    assert not returned.table.is_coached


def test_consent_is_for_the_setup_that_was_agreed_to():
    played = Played(TableRequest("skyjo", seats=3, coach=True))
    played.do(Claim(None, "invite"), BEN)
    played.do(AcceptCoach(), BEN)
    played.do(ChangeSetup(4, {}, coach=True))
    assert played.table.is_coached
    played.do(ChangeSetup(4, {}))
    assert not played.table.is_coached
    assert played.refuses(AcceptCoach(), BEN).code == "no_coach"
    played.do(ChangeSetup(4, {}, coach=True))
    assert not played.table.is_coached
    assert rebuild_table("t", played.events) == played.table


def test_what_is_possible_is_listed():
    played = coached(people=2)
    assert "accept_coach" in names_of(played, BEN)
    assert not {"hint", "beliefs", "accept_coach"} & names_of(played, ANA)
    played.do(AcceptCoach(), BEN)
    on_turn = played.on_turn()
    waiting = BEN if on_turn == ANA else ANA
    assert {"hint", "beliefs", "decline_coach"} <= names_of(played, on_turn)
    assert "beliefs" in names_of(played, waiting)
    assert "hint" not in names_of(played, waiting)
    assert not {"hint", "beliefs", "accept_coach", "decline_coach"} & names_of(played, EVE)
    played.play()
    assert rebuild_table("t", played.events).is_coached


# Ratings


def finished(played):
    played.do(ProposeEnd(), ANA)
    return decode_summary(table_addition(0, played.events, played.table).row.summary).result


def test_a_table_is_coached_or_rated_from_the_beginning():
    rated = Played(TableRequest("skyjo", seats=2, bots=["random"]))
    assert rated.table.is_rated
    for command in (AcceptCoach(), DeclineCoach()):
        assert rated.refuses(command).code == "no_coach"
    assert rated.refuses(ChangeSetup(2, {}, coach=True)).code == "not_playing"
    assert not {"hint", "beliefs", "accept_coach"} & names_of(rated, ANA)
    with pytest.raises(Refused, match="counts for ratings"):
        check_coached(rated.table, 0)
    assert finished(rated) is not None
    helped = Played(TableRequest("skyjo", seats=2, bots=["random"], coach=True))
    assert helped.table.is_coached
    assert not helped.table.is_rated
    assert [table_shown(played.table, 0, "en").is_rated for played in (rated, helped)] == [True, False]
    assert finished(helped) is None
    unused = coached(people=2)
    assert not unused.table.is_rated  # whether or not it is used
    assert unused.refuses(AcceptCoach(), EVE).code == "not_seated"


def test_older_tables_have_no_coach():
    created = decode_event('{"kind":"created","at":1,"game":"skyjo","version":1,"seats":2,"seed":"07"}')
    assert isinstance(created, Created)
    assert not created.coach
    changed = decode_event('{"kind":"setup_changed","at":1,"seats":2}')
    assert isinstance(changed, SetupChanged)
    assert not changed.coach


def test_a_rematch_has_a_coach_too_and_everybody_but_the_maker_is_asked_again():
    played = coached(people=2)
    played.do(AcceptCoach(), BEN)
    again = rematch_table("r", played.table, SECRETS, BEN.person, 200.0).table
    assert again.created.coach
    assert [seat.accepts_coach for seat in again.seats if seat.person == BEN.person] == [True]
    assert [seat.accepts_coach for seat in again.seats if seat.person != BEN.person] == [False]


def test_the_coach_of_a_fork_asks_first_and_a_guided_round_has_its_own():
    played = coached(people=2)
    fork = fork_table("f", played.table, Fork(0, 0, "random", False), SECRETS, EVE, 200.0, ["random"]).table
    assert (fork.created.coach, fork.is_coached, fork.is_rated) == (True, False, False)
    lesson = lesson_table("l", "skyjo", SECRETS, ANA, 100.0).table
    with pytest.raises(Refused) as refused:
        check_coached(lesson, lesson.viewer_of(ANA.person))
    assert refused.value.code == "no_coach"


# Advice


def decision_of(game, seed=6, moves=9):
    """Return a match in which the seat on turn has a choice."""
    match = Match(game, seed=seed)
    while len(match.moves) < moves or len(match.legal_moves()) < 2:
        legal = match.legal_moves()
        match.push(legal[len(match.moves) % len(legal)])
    return match


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
def test_equal_sights_give_equal_hints_byte_by_byte(game):
    match = decision_of(game)
    seat, hints = match.to_move, []
    disguised = copy_state(match.state)
    game.kernels.disguise(disguised, seat, new_generator(9))
    assert disguised.tobytes() != match.state.tobytes()
    for state in (match.state, disguised):
        sight = Sight.of(game, state, seat)
        line = encode_line(AdviceTask(CoachTask.of(sight), tuple(match.legal_moves())))
        answer = think(decode_task(line), Adviser(game, TINY))
        view = match.draw_view(sight, "en")
        hints.append(msgspec.json.encode((answer, tell_hint(answer.advice, view, game, "en"))))
    assert hints[0] == hints[1]


def judged(*gains):
    return tuple(JudgedMove(number, gain, 0.01) for number, gain in enumerate(gains))


def advice_for(moves, gains=(0.0, -0.05, -0.3), facts=None):
    """Return advice in which the first legal move is good, the next one worse and the third a blunder."""
    listed = tuple(JudgedMove(move, gain, 0.01) for move, gain in zip(moves, gains, strict=False))
    if len(listed) < 2:
        return Advice(listed)
    counts = MoveCounts(0.6, 3.25, facts or {}), MoveCounts(0.55, 1.0, {})
    return Advice(listed, 400, listed[1].move, 284, 0.01, *counts)


@pytest.mark.parametrize("game", all_games(), ids=lambda game: game.name)
@pytest.mark.parametrize("language", list(languages()))
def test_every_game_has_hints_in_three_steps(game, language):
    match = decision_of(game)
    view = match.view(match.to_move, language)
    hint = tell_hint(advice_for(match.legal_moves()), view, game, language)
    zones = {zone.id for zone in view.zones}
    assert set(hint.points) <= zones
    assert [each.label for each in hint.good] == [view.choices[0].label]
    assert "71" in hint.why
    assert "60" in hint.why
    assert {"en": "3.2", "fr": "3,2"}[language] in hint.why
    assert [each.move for each in hint.blunders] == [choice.text for choice in view.choices[2:3]]
    for text in (hint.look, hint.why, *(each.text for each in hint.blunders)):
        assert "{" not in text
        assert text.endswith(".")


def test_moves_that_differ_by_less_than_the_error_are_all_good():
    moves = judged(0.0, -0.019, -0.03, -0.15, -0.25)
    assert [move.is_good for move in moves] == [True, True, False, False, False]
    assert [move.is_blunder for move in moves] == [False, False, False, True, True]
    doubtful = JudgedMove(1, -0.2, 0.15)
    assert not doubtful.is_blunder
    match = decision_of(find_game("skyjo"))
    view, moves = match.view(match.to_move), match.legal_moves()
    even = MoveCounts(0.5, 0.0, {})
    alike = Advice(tuple(JudgedMove(move, 0.0, 0.01) for move in moves[:2]), 400, moves[1], 200, 0.02, even, even)
    assert "no clear difference" in tell_hint(alike, view, match.game, "en").why
    hardly = MoveCounts(0.4999, 0.0, {})  # the same in whole percentage points, though clearly less
    near = Advice(alike.moves, 400, moves[1], 380, 1e-5, even, hardly)
    assert "no clear difference" in tell_hint(near, view, match.game, "en").why
    fewer = MoveCounts(0.4, 9.0, {})
    better = Advice(alike.moves, 400, moves[1], 380, 0.01, even, fewer)
    assert "It costs 0.0 points" in tell_hint(better, view, match.game, "en").why  # the fewest points win
    assert "nothing to choose" in tell_hint(advice_for(moves[:1]), view, match.game, "en").why


@pytest.mark.parametrize(("later", "first", "gain"), [(0, 0, 0), (0, 0.2, -0.2), (0.2, 0.2, 0), (-0.4, 0, -0.3)])
def test_a_move_after_which_the_best_one_can_still_be_made_loses_what_that_is_worth_less(
    monkeypatch, later, first, gain
):
    """A move costs 30 points if the policy plays on; else what is lost by its order with the best move."""
    match = decision_of(find_game("skyjo"))
    best, moves = match.legal_moves()[1], match.legal_moves()

    def compare(self, sight, moves, worlds, generator, followed_by=()):
        followers = followed_by or [NEVER] * len(moves)
        values = np.full((len(moves), sight.seats), 0.5)
        for index, (move, follower) in enumerate(zip(moves, followers, strict=True)):
            if move == best:
                values[index, sight.seat] += 0 if follower == NEVER else first
            else:
                values[index, sight.seat] += later if follower == best else -0.3
        return Comparison(sight.seat, tuple(moves), values, np.full(len(moves), 0.001), worlds)

    monkeypatch.setattr(Evaluator, "compare", compare)
    advice = Adviser(match.game, TINY).advise(match.sight(match.to_move), moves)
    assert advice.moves[0].move == best
    assert [move.gain for move in advice.moves[1:]] == pytest.approx([gain] * (len(moves) - 1))
    assert len(advice.blunders) == (len(moves) - 1 if gain < 0 else 0)


ADVISE_ON_A_GAME_FROM_ELSEWHERE = """
from tablee import Match, find_game
from tablee.review.advice import DEPTHS, Adviser
from tablee.review.hint_wording import tell_hint
game = find_game("liars_dice")
match = Match(game, seed=1)
advice = Adviser(game, DEPTHS["quick"]).advise(match.sight(match.to_move), match.legal_moves())
print(tell_hint(advice, match.view(match.to_move, "en"), game, "en").why)
"""


def test_a_game_from_elsewhere_has_hints_without_saying_anything_about_them():
    folder = Path(__file__).resolve().parents[1] / "examples" / "liars_dice" / "src"
    command = [sys.executable, "-c", ADVISE_ON_A_GAME_FROM_ELSEWHERE]
    environment = os.environ | {"TABLEE_GAMES": str(folder), "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert "your chances are" in done.stdout, done.stderr


def facts_of(match, text):
    move = match.check(text)
    world, after = match.state, match.after(move).state
    return [*fact_finder(match.game)(world, move, after)]


def test_what_games_tell_of_a_move_is_true():
    """In Lexio nobody beats the best tile; in Skyjo a hidden card is higher or not."""
    match = Match("lexio", seats=3, seed=4)
    holder = match.to_move
    texts = [match.text(move) for move in match.legal_moves()]
    singles = [text for text in texts if facts_of(match, text) == ["unbeaten"]]
    for text in texts:
        trial = match.copy()
        trial.play(text)
        followed = [[trial.text(move) for move in trial.legal_moves()]]
        while trial.to_move != holder and followed[-1] == ["pass"]:
            trial.play("pass")
            followed.append([trial.text(move) for move in trial.legal_moves()])
        assert (trial.to_move == holder) == (text in singles), text
    skyjo = Match("skyjo", seats=2, seed=1, options={"opening": "auto"})
    skyjo.play("draw")
    seat, state = skyjo.to_move, skyjo.state
    for cell, name in enumerate(f"{column}{row}" for row in "123" for column in "abcd"):
        is_hidden = not (state.opened[seat] >> cell) & 1
        is_higher = is_hidden and state.grid[seat, cell] > state.held
        assert facts_of(skyjo, f"swap {name}") == (["higher"] if is_higher else [])
    for game in ("lexio", "skyjo"):
        keys = [key for key in find_game(game).words("en").texts if key.startswith("hints.")]
        assert keys
        for language in languages():
            for key in keys:
                assert "71" in find_game(game).words(language).say(key, n=71)


# The process


class OwnProcess:
    """Thinks at once, without any search; counts what it is asked."""

    def __init__(self):
        self.tasks = []

    async def answer(self, task):
        self.tasks.append(task)
        if isinstance(task, BeliefTask):
            return think(msgspec.structs.replace(task, worlds=3), None)
        return CoachAnswer(advice=advice_for(task.moves))

    async def close(self):
        pass


def test_a_decision_is_thought_about_once():
    async def test():
        thinker = OwnProcess()
        coach, match = Coach(thinker), decision_of(find_game("skyjo"))
        sight = match.sight(match.to_move)
        first = await coach.advise(sight, match.legal_moves())
        assert await coach.advise(sight, match.legal_moves()) is first
        assert len(thinker.tasks) == 1
        await coach.find_beliefs(sight, "en", match.names("en"))
        assert len(thinker.tasks) == 2

    asyncio.run(test())


def test_the_process_answers_survives_errors_and_ends():
    async def test():
        coach, match = CoachProcess("quick"), decision_of(find_game("xe_queo"))
        sight = match.sight(match.to_move)
        with pytest.raises(CoachFailed, match=r"^UnknownGame in registry\.py:\d+$"):
            await coach.answer(AdviceTask(CoachTask("nowhere", 0, b""), (1, 2)))
        beliefs = BeliefTask(CoachTask.of(sight), "fr", tuple(match.names("fr")), 3)
        assert (await coach.answer(beliefs)).beliefs.pieces
        process = coach._process
        process.kill()
        await process.wait()
        assert (await coach.answer(beliefs)).beliefs == (await coach.answer(beliefs)).beliefs
        pid = coach._process.pid
        await coach.close()
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)

    asyncio.run(test())


def test_a_process_that_takes_too_long_is_ended():
    async def test():
        coach, match = CoachProcess(max_seconds=0.01), decision_of(find_game("skyjo"))
        with pytest.raises(CoachFailed, match="TimeoutError"):
            await coach.answer(AdviceTask(CoachTask.of(match.sight(match.to_move)), tuple(match.legal_moves())))
        assert coach._process is None

    asyncio.run(test())


# Honesty: every interface of a server is tried by everybody who could hope for something


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("coach") / "tables.db") as running:
        running.registry.coach = TableCoach(Coach(OwnProcess()))
        yield running


SECRETS_OF_THE_COACH = ('"look":', '"blunders":', '"possible":', '"chances":', '"why":')


def attacks(table, other):
    """Yield requests for help with a running game, as (method, path, body)."""
    address = f"/api/tables/{table}"
    for moves in (0, 1, 3):
        for seat in (-1, 0, 1, 2):
            yield "GET", f"{address}/moments/{moves}/beliefs?seat={seat}", None
            yield "GET", f"{address}/moments/{moves}/beliefs?seat={seat}&open=true", None
    for path in ("hint", "hint?seat=0", "hint?seat=1", "review", "review.svg", "record", "points"):
        yield "GET", f"{address}/{path}", None
    yield "POST", f"{address}/hint", {"type": "hint", "id": "x1", "table": table}
    yield "POST", f"{address}/review", None
    for is_imagined in (True, False):
        yield "POST", f"{address}/forks", {"moves": 0, "seat": 0, "bot": "random", "is_imagined": is_imagined}
    for kind in ("hint", "beliefs", "review"):
        yield "POST", f"{address}/commands", {"type": kind, "id": "x2", "table": table}
        yield "POST", f"{address}/commands", {"type": kind, "id": "x3", "table": other}


def readable(server, table):
    """Return every address of the interface that can be read, and every page with its embedded first state."""
    paths = [path for path, methods in server.app.openapi()["paths"].items() if "get" in methods]
    assert f"/api/tables/{table}/hint" in [path.replace("{table}", table) for path in paths]
    filled = (re.sub(r"\{\w+\}", "0", path.replace("{table}", table).replace("{game}", "skyjo")) for path in paths)
    pages = [f"/t/{table}", f"/replay/{table}/0/0", f"/replay/{table}/1/all", "/", "/me", "/statistics", "/daily"]
    return [*filled, *pages]


def assert_nothing_is_had(server, guests, table, other):
    """Try every interface, as every guest."""
    for guest in guests:
        for method, path, body in attacks(table["id"], other["id"]):
            answer = guest.http.request(method, path, json=body, headers={"Tablee-Invite": table["invite"]})
            assert answer.status_code in (401, 403, 404, 405, 409, 422), (method, path, answer.text)
            assert not any(secret in answer.text for secret in SECRETS_OF_THE_COACH), answer.text
        for path in readable(server, table["id"]):
            text = guest.get(path, **{"Tablee-Invite": table["invite"]}).text
            assert not any(secret in text for secret in SECRETS_OF_THE_COACH), path
        shown = guest.get(f"/api/tables/{table['id']}", **{"Tablee-Invite": table["invite"]}).json()
        assert not {"hint", "beliefs"} & {command["type"] for command in shown["commands"]}
        with guest.line() as line:
            line.watch(table["id"], invite=table["invite"])
            for kind in ("hint", "beliefs", "review"):
                assert line.ask(kind, table=table["id"])["type"] == "refused"
    for path in ("/metrics", "/health", "/live", "/ready"):
        text = guests[0].http.get(f"{server.status}{path}").text
        assert not any(secret in text for secret in SECRETS_OF_THE_COACH)


def played_by(server, **request):
    """Return a table of Ana (the host) and Ben, a table of Eve, and these people with a guest without a name."""
    ana, ben, eve = (Guest(server.url, name) for name in ("Ana", "Ben", "Eve"))
    table = ana.create("skyjo", seats=2, options={"opening": "auto"}, **request)
    assert ben.command("claim", table["id"], invite=table["invite"]).is_success
    other = eve.create("skyjo", seats=2, bots=["random"], options={"opening": "auto"}, coach=True)
    return table, other, ana, ben, eve, Guest(server.url)


@pytest.mark.parametrize("is_open", [False, True])
def test_nobody_is_helped_at_a_rated_table(server, is_open):
    table, other, ana, ben, *others = played_by(server, is_open=is_open)
    for guest in (ana, ben):
        assert guest.command("accept_coach", table["id"]).json()["code"] == "no_coach"
    refused = ana.command("change_setup", table["id"], seats=2, coach=True).json()
    assert refused["code"] == "not_playing"
    assert_nothing_is_had(server, (ana, ben, *others), table, other)


def test_nobody_is_helped_without_the_consent_of_all(server):
    table, other, ana, ben, *others = played_by(server, coach=True)
    everybody = (ana, ben, *others)
    assert_nothing_is_had(server, everybody, table, other)  # the maker has agreed, Ben has not
    assert ben.command("accept_coach", table["id"]).is_success
    assert ana.command("decline_coach", table["id"]).is_success
    assert_nothing_is_had(server, everybody, table, other)


def test_with_the_consent_of_all_each_is_helped_by_what_their_own_seat_knows(server):
    table, _, ana, ben, eve, nameless = played_by(server, coach=True)
    address = f"/api/tables/{table['id']}"
    invited = {"Tablee-Invite": table["invite"]}
    assert ben.command("accept_coach", table["id"]).is_success
    state = ana.get(address).json()
    on_turn, waiting = (ana, ben) if state["view"]["to_move"] == 0 else (ben, ana)
    seat = state["view"]["to_move"]
    english, french = on_turn.get(f"{address}/hint").json(), on_turn.get(f"{address}/hint?lang=fr").json()
    choices = [choice["text"] for choice in on_turn.get(address).json()["view"]["choices"]]
    assert english["good"][0]["move"] in choices
    assert english["why"] != french["why"]
    assert waiting.get(f"{address}/hint").json()["code"] == "not_your_turn"
    assert on_turn.get(f"{address}/moments/0/beliefs?seat={seat}").json()["pieces"]
    assert waiting.get(f"{address}/moments/0/beliefs?seat={1 - seat}").json()["pieces"]
    for guest, wanted in (
        (on_turn, 1 - seat),
        (waiting, seat),
        (eve, seat),
        (nameless, seat),
        (eve, -1),
        (nameless, -1),
    ):
        answer = guest.get(f"{address}/moments/0/beliefs?seat={wanted}", **invited)
        assert answer.status_code in (401, 403, 409)
        assert not any(secret in answer.text for secret in SECRETS_OF_THE_COACH)
    for guest in (eve, nameless):
        assert guest.get(f"{address}/hint", **invited).json()["code"] in ("not_seated", "no_name", "unknown_table")
    for guest in (on_turn, waiting, eve, nameless):  # the review of a running game is for nobody
        for path in ("review", "review.svg", "record", "points"):
            assert guest.get(f"{address}/{path}", **invited).status_code in (404, 409)


def test_a_hint_comes_too_late_when_consent_is_withdrawn_while_the_coach_thinks(server):
    table, _, ana, ben, *_ = played_by(server, coach=True)
    assert ben.command("accept_coach", table["id"]).is_success
    live = server.do(server.registry.table(table["id"]))
    person = live.table.seats[live.table.on_turn].person
    waiting = ben if live.table.on_turn == 0 else ana

    class Slow(OwnProcess):
        async def answer(self, task):
            withdrawn = asyncio.to_thread(waiting.command, "decline_coach", table["id"])
            assert (await withdrawn).is_success
            return await super().answer(task)

    coach = TableCoach(Coach(Slow()))
    with pytest.raises(Refused, match="everybody at the table agrees"):
        server.do(coach.hint(live, person, "en"))
    assert ana.command("accept_coach", table["id"]).is_success or ben.command("accept_coach", table["id"]).is_success
    seat = live.table.viewer_of(person)
    with pytest.raises(Refused, match="everybody at the table agrees"):
        server.do(coach.beliefs(live, person, live.table.sight(seat), "en"))


def test_a_coach_that_fails_is_said_to_be_unavailable(server):
    class Failing(OwnProcess):
        async def answer(self, task):
            raise CoachFailed("killed")

    table, _, _, ben, *_ = played_by(server, coach=True)
    assert ben.command("accept_coach", table["id"]).is_success
    live = server.do(server.registry.table(table["id"]))
    with pytest.raises(Refused) as refused:
        server.do(TableCoach(Coach(Failing())).hint(live, live.table.seats[live.table.on_turn].person, "en"))
    assert refused.value.code == "unavailable"


# The terminal


async def typing(pilot, text):
    await pilot.press(*text, "enter")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def typed_at(settings, *lines):
    """Return what is written at a table in this process for a player who types these lines and quits."""
    script = Script(*lines, "quit")
    host = LocalHost(settings, bot_pause=0)
    host._thinking = Coach(OwnProcess())
    asyncio.run(PlainFrontEnd(host, script.read, script.written.append).run())
    return script.output


@pytest.mark.parametrize("language", list(languages()))
def test_plain_lines_tell_a_hint_in_steps_and_warn_before_a_blunder(language):
    settings = terminal_settings("skyjo", language, coach=True, rest=None)
    words = common(language)
    command = {key: words.say(f"commands.{key}") for key in ("hint", "beliefs", "warnings", "coach")}
    blunder = settings.open_table().table.match
    text = blunder.text(blunder.legal_moves()[2]) if blunder.to_move == 0 else ""
    lines = [command["hint"]] * 4 + [command["beliefs"], command["warnings"], text, text]
    output = typed_at(settings, *filter(None, lines), command["coach"], command["hint"])
    good = words.say("hint.good", moves="").split("{")[0].rstrip(".")[:3]
    assert good in output
    assert "71" in output
    assert output.index("71") > output.index(words.say("coach.more", hint=command["hint"]))
    assert words.say("coach.beliefs_title") in output
    assert words.say("coach.warnings_on") in output
    if text:
        assert words.say("hint.blunder", loss=30, better="")[:20] in output
    assert words.say("terminal.no_command", command=command["hint"]) in output  # it was turned off


def test_a_table_without_a_coach_offers_none_in_the_terminal():
    output = typed_at(terminal_settings("skyjo", rest=None), "hint", "beliefs", "coach")
    words = common("en")
    for name in ("hint", "beliefs", "coach"):
        assert words.say("terminal.no_command", command=name) in output
    assert words.say("coach.more", hint="hint") not in output
    assert words.say("coach.beliefs_title") not in output


def test_a_player_in_a_terminal_is_helped_when_all_agree_and_not_before(server):
    bo = Guest(server.url, "Bo")
    made = bo.create("skyjo", seats=2, options={"opening": "auto"}, coach=True)

    async def test():
        screen = join_table(Address(server.url, made["id"], made["invite"]), "en", "Ana")
        async with running(screen, LARGE) as (app, pilot):
            await until(lambda: screen._display.view is not None, pilot)
            await typing(pilot, "hint")
            await until(lambda: "not possible now" in shown(app) or "hint" in shown(app), pilot)
            assert screen.host.coach.text == ""
            for asked in (screen.host._ask_hint, screen.host._ask_beliefs):  # whatever the front end lists
                with pytest.raises(TableeError, match="everybody at the table agrees"):
                    await asked()
            await typing(pilot, "coach")
            await until(lambda: "beliefs" in screen._display.commands, pilot)
            state = bo.get(f"/api/tables/{made['id']}").json()
            if state["view"]["to_move"] == 0:
                while (state := bo.get(f"/api/tables/{made['id']}").json())["view"]["to_move"] == 0:
                    move = state["view"]["choices"][0]["text"]
                    assert bo.command("play", made["id"], number=state["number"], move=move).is_success
            await until(lambda: "hint" in screen._display.commands, pilot)
            for _ in range(3):
                await typing(pilot, "hint")
                await until(lambda: not screen.requests, pilot)
            await until(lambda: "71" in screen.host.coach.text, pilot)
            await until(lambda: screen._display.points, pilot)
            await typing(pilot, "beliefs")
            await until(lambda: "What hidden cards can be" in shown(app), pilot)
            await pilot.press("escape")

    play(test())
