"""People at a table over HTTP and sockets: the host's rights, seats that are kept, rematches."""

import pytest

from server_process import Guest, serving

PRIVATE = {"seats": 3, "options": {"opening": "auto"}}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("server") / "tablee.db") as server:
        yield server


@pytest.fixture
def ana(server):
    return Guest(server.url, "Ana")


@pytest.fixture
def ben(server):
    return Guest(server.url, "Ben")


def done(answer):
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer):
    assert answer.status_code >= 400, answer.text
    return answer.json()["code"]


def seat_names(guest, table):
    return [seat["name"] for seat in guest.get(f"/api/tables/{table}").json()["seats"]]


def test_a_removed_person_is_told_why_and_sees_nothing_more(server, ana, ben):
    made = ana.create(**PRIVATE)
    table, old_invite = made["id"], made["invite"]
    done(ben.command("claim", table, invite=old_invite))
    with ben.line(lang="fr") as line:
        assert line.watch(table)["viewer"] == 1
        assert refused(ben.command("remove_player", table, seat=0)) == "not_host"
        done(ana.command("remove_player", table, seat=1))
        told = line.until(lambda message: message["type"] == "removed")
        assert (told["table"], told["text"]) == (table, "L’hôte vous a exclu de cette table.")
        done(ana.command("chat", table, text="secret"))
        assert line.ask("chat", table=table, text="hello")["code"] == "removed"
        assert line.ask("watch", table=table, invite=old_invite)["code"] == "removed"
        assert line.ask("claim", table=table, invite=old_invite)["code"] == "removed"
    assert refused(ben.get(f"/api/tables/{table}")) == "removed"
    assert table not in [each["id"] for each in ben.get("/api/tables").json()["mine"]]
    again = Guest(server.url, "Ben under another name")
    assert refused(again.get(f"/api/tables/{table}", **{"Tablee-Invite": old_invite})) == "unknown_table"
    assert refused(again.command("claim", table, invite=old_invite)) == "not_invited"
    new_invite = ana.get(f"/api/tables/{table}").json()["invite"]
    done(again.command("claim", table, invite=new_invite))


def test_the_host_changes_the_setup_locks_and_hands_over(ana, ben):
    made = ana.create(**PRIVATE, is_open=True)
    table = made["id"]
    done(ben.command("claim", table))
    done(ana.command("change_setup", table, seats=4, options={"opening": "choose"}, clock=60, rest=30))
    shown = ben.get(f"/api/tables/{table}").json()
    assert (shown["setup"]["seats"], shown["clock"], shown["rest"], len(shown["seats"])) == (4, 60, 30, 4)
    done(ana.command("lock", table))
    eve = Guest(ana.url, "Eve")
    (listed,) = [each for each in eve.get("/api/tables").json()["open"] if each["id"] == table]
    assert listed["is_locked"]
    assert refused(eve.command("claim", table)) == "locked"
    done(ana.command("hand_over", table, seat=1))
    assert refused(ana.command("unlock", table)) == "not_host"
    done(ben.command("unlock", table))
    assert [seat["is_host"] for seat in eve.get(f"/api/tables/{table}").json()["seats"]] == [False, True, False, False]


def test_who_left_during_the_game_finds_the_table_in_the_lobby_and_sits_down_again(ana, ben):
    made = ana.create(**{**PRIVATE, "seats": 2})
    table = made["id"]
    done(ben.command("claim", table, invite=made["invite"]))
    done(ben.command("leave", table))
    (listed,) = [each for each in ben.get("/api/tables").json()["mine"] if each["id"] == table]
    assert (listed["your_seat"], listed["kept_seat"], listed["seats"][1]["level"]) == (None, 1, "Beginner")
    shown = ben.get(f"/api/tables/{table}").json()
    assert shown["viewer"] == -1
    assert [command["seats"] for command in shown["commands"] if command["type"] == "claim"] == [[1]]
    done(ben.command("claim", table))
    assert ben.get(f"/api/tables/{table}").json()["viewer"] == 1
    (listed,) = [each for each in ben.get("/api/tables").json()["mine"] if each["id"] == table]
    assert (listed["your_seat"], listed["kept_seat"]) == (1, None)


def test_a_rematch_begins_when_all_who_played_sit_down(ana, ben):
    made = ana.create(**PRIVATE, bots=["random"])
    table = made["id"]
    done(ben.command("claim", table, invite=made["invite"]))
    done(ana.command("propose_end", table))
    done(ben.command("answer_end", table, agrees=True))
    new = done(ben.command("rematch", table))["new_table"]
    assert ana.get(f"/api/tables/{table}").json()["rematch"] == new
    shown = ana.get(f"/api/tables/{new}").json()
    assert (shown["phase"], shown["viewer"], shown["seats"][1]["name"]) == ("gathering", -1, "Ana")
    (listed,) = [each for each in ana.get("/api/tables").json()["mine"] if each["id"] == new]
    assert listed["kept_seat"] == 1
    done(ana.command("claim", new))
    assert ana.get(f"/api/tables/{new}").json()["phase"] == "playing"
    assert seat_names(ben, new)[1:] == ["Ana", "Ben"]


def test_presence_says_who_is_connected_and_since_when_others_are_not(ana, ben):
    made = ana.create(**PRIVATE)
    table = made["id"]
    done(ben.command("claim", table, invite=made["invite"]))

    def presence():
        shown = ana.get(f"/api/tables/{table}/presence").json()
        return [(each["seat"], each["is_here"], each["away_since"] is not None) for each in shown]

    assert presence() == [(0, False, False), (1, False, False)]
    with ben.line() as line:
        line.watch(table)
        assert presence() == [(0, False, False), (1, True, False)]
        assert line.ask("unwatch", table=table)["type"] == "ack"
        assert presence() == [(0, False, False), (1, False, True)]
        line.watch(table)
        assert presence() == [(0, False, False), (1, True, False)]
    assert refused(Guest(ana.url).get(f"/api/tables/{table}/presence")) == "unknown_table"
