"""The documents of pages: heads, link previews, what is embedded, and bundles of modules."""

import base64
import hashlib
import html
import io
import json
import re

import pytest
from PIL import Image

from server_process import Guest, serving
from tablee import all_games
from tablee.server.bundles import BadModule, join_scripts
from tablee.server.documents import SCRIPTS, script_bundle
from tablee.server.static_files import WEB


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("documents") / "tablee.db") as server:
        yield server


@pytest.fixture
def ana(server):
    return Guest(server.url, "Ana")


def page_of(guest, path, language="en"):
    return guest.http.get(path, headers={"Accept": "text/html", "Accept-Language": language})


def meta(document, name):
    return html.unescape(re.search(rf'<meta (?:name|property)="{name}" content="(.*?)">', document)[1])


def embedded(document):
    return json.loads(re.search(r'<script type="application/json" id="embedded">(.*?)</script>', document)[1])


# Heads and previews


def test_every_page_has_a_title_a_description_and_a_preview_in_the_language_of_the_browser(server):
    visitor = Guest(server.url)
    for path in ("/", "/games/skyjo", "/rules/skyjo", "/rules/skyjo/R14", "/statistics"):
        titles = set()
        for language in ("en", "fr"):
            document = page_of(visitor, path, language).text
            assert f'<html lang="{language}">' in document
            assert meta(document, "og:title")
            assert meta(document, "og:url") == server.url + path
            assert visitor.http.get(meta(document, "og:image")).headers["content-type"] == "image/png"
            titles.add((meta(document, "description"), meta(document, "og:title")))
        assert len(titles) == 2


@pytest.mark.parametrize("game", sorted(game.name for game in all_games()))
def test_a_link_preview_has_the_picture_of_the_game_as_its_cover_is_now(server, game):
    """`python tools/previews.py` draws it."""
    visitor = Guest(server.url)
    document = page_of(visitor, f"/games/{game}").text
    assert meta(document, "og:image").endswith(f"/games/{game}/web/preview.png")
    picture = Image.open(io.BytesIO(visitor.http.get(meta(document, "og:image")).content))
    assert picture.size == (1200, 630)
    cover = visitor.http.get(f"/games/{game}/web/cover.svg").content
    assert picture.text["cover"] == hashlib.sha256(cover).hexdigest()


def test_the_language_chosen_in_the_settings_comes_before_that_of_the_browser(server):
    visitor = Guest(server.url)
    visitor.http.cookies.set("tablee-language", "fr")
    assert '<html lang="fr">' in page_of(visitor, "/", "en").text


def test_the_preview_of_an_open_table_names_the_host_and_that_of_a_private_one_only_the_game(server, ana):
    visitor = Guest(server.url)
    listed = ana.create("skyjo", seats=2, is_open=True)
    private = ana.create("skyjo", seats=2, is_open=False)
    assert meta(page_of(visitor, f"/t/{listed['id']}").text, "og:title") == "Ana invites you to Skyjo"
    document = page_of(visitor, f"/t/{private['id']}").text
    assert meta(document, "og:title") == "Skyjo"
    assert "Ana" not in document
    assert private["invite"] not in document
    assert embedded(document)["table"] is None
    seen = page_of(ana, f"/t/{private['id']}")
    assert embedded(seen.text)["table"]["table"] == ana.get(f"/api/tables/{private['id']}").json()


@pytest.mark.parametrize("path", ["/nowhere", "/t/nothing", "/rules/nothing", "/games/nothing", "/styles/nothing"])
def test_an_unknown_address_is_a_page_with_status_404(server, path):
    answered = page_of(Guest(server.url), path)
    assert answered.status_code == 404
    assert answered.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("path", ["/nowhere.js", "/api/nowhere"])
def test_programs_and_scripts_still_get_a_problem(server, path):
    answered = Guest(server.url).http.get(path, headers={"Accept": "*/*"})
    assert (answered.status_code, answered.headers["content-type"]) == (404, "application/problem+json")


# What is embedded


def test_the_lobby_brings_games_tables_and_name(server, ana):
    visitor = Guest(server.url)
    answers = embedded(page_of(visitor, "/").text)["answers"]
    assert answers["/api/games"] == visitor.get("/api/games").json()
    assert answers["/api/tables"] == visitor.get("/api/tables").json()
    assert "/api/me" not in answers
    assert embedded(page_of(ana, "/").text)["answers"]["/api/me"] == ana.get("/api/me").json()


def test_pages_about_a_person_are_neither_compressed_nor_stored(server, ana):
    visitor = Guest(server.url)
    assert visitor.http.get("/").headers["content-encoding"]
    personal = ana.http.get("/")
    assert "content-encoding" not in personal.headers
    assert personal.headers["cache-control"] == "no-store"


def test_names_cannot_end_the_embedded_script(server):
    mallory = Guest(server.url, "</script><b>&")
    document = page_of(mallory, "/").text
    assert "<b>" not in document
    assert embedded(document)["answers"]["/api/me"]["name"] == "</script><b>&"
    table = mallory.create("skyjo", seats=2, is_open=True)
    assert meta(page_of(Guest(server.url), f"/t/{table['id']}").text, "og:title").startswith("</script><b>&")


def test_of_inline_scripts_only_the_import_map_is_allowed(server):
    answered = page_of(Guest(server.url), "/")
    [import_map] = re.findall(r'<script type="importmap">(.*?)</script>', answered.text)
    digest = base64.b64encode(hashlib.sha256(import_map.encode()).digest()).decode()
    policy = answered.headers["content-security-policy"]
    assert f"script-src 'self' 'sha256-{digest}';" in policy
    assert "unsafe" not in policy
    assert re.findall(r"<script(?! type=\"(?:importmap|application/json)\"| type=\"module\" src=)", answered.text) == []


def test_a_table_loads_the_board_of_its_game_at_once(server, ana):
    for game in all_games():
        table = ana.create(game.name, bots=["random"] * (game.usual_seats - 1))
        document = page_of(ana, f"/t/{table['id']}").text
        for link in re.findall(rf'href="(/games/{game.name}/.*?)"', document):
            assert ana.http.get(link).status_code == 200
        assert f"/games/{game.name}/web/board.js" in document


# Bundles


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_bundle_holds_all_modules_of_its_page(name):
    """A module found only through another's import would cost an additional round trip."""
    bundle = script_bundle(name)
    assert set(SCRIPTS[name]) <= set(bundle.modules)
    imports = re.findall(rb'^import .* from "(.*)";', bundle.content, re.MULTILINE)
    assert imports == [b"/vendor/lit.js"]
    assert b'import("./' not in bundle.content


def test_a_bundle_is_kept_for_ever_until_a_module_changes(server):
    visitor = Guest(server.url)
    document = page_of(visitor, "/").text
    for address in re.findall(r'(?:src|href)="(/bundles/.*?)"', document):
        answered = visitor.http.get(address)
        assert "immutable" in answered.headers["cache-control"]
        old = re.sub(r"-\w+\.", "-0123456789abcdef.", address)
        assert visitor.http.get(old).headers["cache-control"] == "no-store"
    assert visitor.http.get("/bundles/nothing-0.js").status_code == 404


def write_modules(folder, **modules):
    for name, text in modules.items():
        (folder / f"{name}.js").write_text(text)
    return join_scripts(folder, ["/first.js"])


def test_modules_are_joined_in_the_order_of_their_imports(tmp_path):
    bundle = write_modules(
        tmp_path,
        first='import { a, b } from "./second.js";\nimport("./later.js");\nconst hidden = a + b;\nexport class C {}\n',
        second='import "./third.js";\nexport const a = 1;\nexport function b() {}\nconst hidden = 2;\n',
        third="globalThis.x = 1;\n",
    )
    assert bundle.modules == ("/third.js", "/second.js", "/first.js")
    assert b'import("/later.js")' in bundle.content
    assert b"export const { a, b } = module1;" in bundle.content


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        ('import { a as b } from "./second.js";', "export const a = 1;", "cannot be changed"),
        ('import a from "./second.js";', "export const a = 1;", "only names"),
        ('import { a } from "./second.js";', "export let a = 1;", "must be constant"),
        ('import { a } from "./second.js";', 'import { b } from "./first.js"; export const a = 1;', "each other"),
        ('import { a } from "./second.js"; export const a = 2;', "export const a = 1;", "two modules"),
        ('import { a } from "./second.js";', "export default class {}", "by name"),
        ("const a = ;", "", "cannot be parsed"),
    ],
)
def test_what_cannot_be_joined_is_refused(tmp_path, first, second, why):
    with pytest.raises(BadModule, match=why):
        write_modules(tmp_path, first=first, second=second)


def test_a_faulty_module_is_left_to_the_browser_to_report(server, monkeypatch):
    def fail(*_):
        raise BadModule("app.js cannot be parsed")

    monkeypatch.setattr("tablee.server.documents.script_bundle", fail)
    document = page_of(Guest(server.url), "/").text
    assert '<script type="module" src="/app.js"></script>' in document
    assert (WEB / "app.js").is_file()
