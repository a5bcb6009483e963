"""A language is one folder of files: the shipped ones agree, and a made-up one needs nothing else."""

import asyncio
import json
import re
import tomllib

import pytest
from playwright.sync_api import expect

import pseudo_language
from browser import CHROMIUM, DESKTOP, PHONE, Server
from tablee.core import languages as language_module
from tablee.core.elision import fill
from tablee.core.errors import TableeError
from tablee.core.languages import DEFAULT, SETTING, find_language, languages, supported
from tablee.core.lessons import lesson_of, text_in
from tablee.core.registry import all_games
from tablee.core.words import common
from tablee.tables.decisions import BOT_NAMES
from tablee.testing.budget import usual_budget
from tablee.testing.word_checks import rulebooks_agree, words_agree
from terminals import LARGE, SMALL, is_our_turn, running, settings, shown, table, until

pytestmark = [pytest.mark.surface, pytest.mark.xdist_group("web")]

GAMES = all_games()
WEB = language_module.SHIPPED.parent / "web"
PAGES = ("", "games/{game}", "rules/{game}", "statistics")

NAMES = {"Tablée", "Ana", *BOT_NAMES}

# Texts on the page that were not translated: no bracket of the made-up language, and words in them.
UNTRANSLATED = """
() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element.closest("script, style, noscript, .prose")) continue;
    const text = node.textContent.trim();
    if (!/\\p{L}{2}/u.test(text) || text.includes("⟦") || text.includes("⟧") || text.includes("~")) continue;
    found.push(text);
  }
  return found;
}
"""


# What makes the page wider than the window.
TOO_WIDE = """
() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
  .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
  .map((element) => `${element.localName}.${element.className}`)
"""


# A space before these marks, or after an opening quotation mark, at which a line may break; not the key "?".
BREAKING_SPACE = re.compile(r"(?<=[^\s|.,]) (?=[;:!?»](?![-\w=]))|« ")


def test_no_line_of_french_begins_with_a_punctuation_mark():
    shipped = [*(language_module.SHIPPED / "fr").iterdir(), *(game.folder / "words" / "fr.toml" for game in GAMES)]
    for path in [*shipped, *(game.folder / "rules.fr.md" for game in GAMES)]:
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]
        assert [line for line in lines if BREAKING_SPACE.search(line)] == [], path
    for lesson in filter(None, map(lesson_of, GAMES)):
        said = [step.text["fr"] for step in lesson.steps] + [
            turn.text["fr"] for step in lesson.steps for turn in step.turns
        ]
        said += [step.otherwise["fr"] for step in lesson.steps if step.otherwise]
        assert [text for text in said if BREAKING_SPACE.search(text)] == []


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Ana", "d’Ana"),
        ("Élise", "d’Élise"),
        ("Invité", "d’Invité"),
        ("Hugo", "d’Hugo"),
        ("Yves", "d’Yves"),
        ("Œdipe", "d’Œdipe"),
        ("Yann", "de Yann"),
        ("Ben", "de Ben"),
        ("8", "de 8"),
        ("a5", "de a5"),
        ("A", "de A"),
    ],
)
def test_a_word_before_a_name_is_elided_in_french_and_no_other_language(name, said):
    french, english = find_language("fr"), find_language("en")
    assert fill("Les tuiles de {player}.", french, {"player": name}) == f"Les tuiles {said}."
    assert fill("Les tuiles de {player}.", english, {"player": name}) == f"Les tuiles de {name}."
    owned = common("fr").say("zones.owner", name=name)
    assert owned == f" {said}| ({name})"  # as labels say it, so that the terminal can leave it out


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_labels_and_coaches_elide_names(game):
    names = ["Ana", "Invité", "Ben", "Hélène", "Yann"]
    lesson = lesson_of(game)
    labels = [zone.label for zone in lesson.deal(game, names[: lesson.seats]).view(0, "fr").zones]
    said = [text_in(step.text, "fr", names) for step in lesson.steps]
    assert [text for text in labels + said if re.search(r"\b([dD]e|[qQ]ue|[pP]uisque) (Ana|Invité|Hélène)", text)] == []
    assert [text for text in labels + said if re.search(r"’(Ben|Yann)", text)] == []


def test_french_words_leave_elision_to_the_catalogue():
    """An apostrophe before a parameter would be wrong for some names."""
    texts = [*web_words("fr").values(), *common("fr").texts.values()]
    texts += [text for game in GAMES for text in game.words("fr").texts.values()]
    texts += [
        text["fr"] for game in GAMES for step in lesson_of(game).steps for text in (step.text, step.otherwise) if text
    ]
    assert [text for text in texts if re.search(r"\b(d|qu|l)[’']\{", text)] == []


@pytest.fixture
def pseudo(tmp_path, monkeypatch):
    """Add the made-up language for the time of a test."""
    parent = pseudo_language.write_language(tmp_path / "languages", GAMES)
    monkeypatch.setenv(SETTING, str(parent))
    forget()
    yield pseudo_language.CODE
    monkeypatch.undo()
    forget()


def forget():
    for cached in (languages, common):
        cached.cache_clear()


def leaves(branch, path=""):
    if isinstance(branch, dict):
        return {key: text for name, below in branch.items() for key, text in leaves(below, f"{path}.{name}").items()}
    return {path: branch}


def parameters(text):
    return set(re.findall(r"\{\w+\}", text))


def web_words(code):
    return leaves(json.loads((find_language(code).folder / "web.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("code", [code for code in languages() if code != DEFAULT])
def test_shipped_languages_have_the_same_keys_and_parameters(code):
    for words_of in (web_words, lambda code: common(code).texts):
        default, other = words_of(DEFAULT), words_of(code)
        assert default.keys() == other.keys()
        assert [key for key in default if parameters(default[key]) != parameters(other[key])] == []


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_shipped_game_has_every_shipped_language(game):
    assert game.languages() == list(languages())
    assert all(game.rulebook_path(code) for code in languages())


def test_every_phrase_that_a_script_uses_exists():
    known = {key[1:].removesuffix(".one").removesuffix(".other") for key in web_words(DEFAULT)}
    for script in sorted(WEB.rglob("*.js")):
        for key in re.findall(r'translate\("([\w.]+)"', script.read_text(encoding="utf-8")):
            assert key in known, f"{script.name} uses {key}"


def test_an_unknown_language_is_refused_or_replaced_by_the_default():
    with pytest.raises(TableeError, match="no language 'frr'; did you mean 'fr'"):
        find_language("frr")
    assert supported("frr") == supported(None) == DEFAULT


def test_a_broken_language_folder_is_explained(tmp_path, monkeypatch):
    monkeypatch.setenv(SETTING, str(tmp_path / "nowhere"))
    languages.cache_clear()
    with pytest.raises(TableeError, match="nowhere, which is not a folder"):
        languages()
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / "language.toml").write_text("title = 1\n")
    monkeypatch.setenv(SETTING, str(tmp_path))
    with pytest.raises(TableeError, match=r"language\.toml does not give the language's name"):
        languages()
    monkeypatch.undo()
    languages.cache_clear()


def test_a_game_without_a_language_is_played_in_the_default_one(pseudo, tmp_path):
    game = GAMES[0]
    for file in (tmp_path / "languages" / pseudo / "games" / game.name).iterdir():
        file.unlink()
    assert pseudo not in game.languages()
    assert game.words(pseudo).say("title") == game.words(DEFAULT).say("title")
    assert game.rulebook(pseudo) == game.rulebook(DEFAULT)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_new_language_has_no_missing_word_in_any_game(pseudo, game):
    assert list(languages()) == [DEFAULT, "fr", pseudo]
    assert pseudo in game.languages()
    words_agree(game, usual_budget())
    rulebooks_agree(game, usual_budget())
    assert tomllib.loads(game.words_path(pseudo).read_text(encoding="utf-8"))["title"].startswith("⟦")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
def test_a_new_language_is_spoken_in_the_terminal(pseudo, game, size):
    async def test():
        async with running(table(settings(game.name, language=pseudo)), size) as (app, pilot):
            await until(lambda: is_our_turn(app.screen), pilot)
            await until(lambda: "⟦" in shown(app), pilot)
            assert app.screen.board.size.height >= 8  # long words push the board out of no screen
            assert app.screen.query_one("#move").region.bottom <= size[1]

    asyncio.run(test())


def untranslated(page):
    """Return the texts on a page that are neither translated nor names."""
    return [text for text in page.evaluate(UNTRANSLATED) if not set(re.split(", | · ", text)) <= NAMES]


def start_against_bots(page, game):
    """Open a table with bots and wait for its board."""
    page.request.put("/api/me", data={"name": "Ana"})
    table = page.request.post("/api/tables", data={"game": game, "bots": ["random"]}).json()["id"]
    page.goto(f"/t/{table}")
    expect(page.get_by_text("⟦").first).to_be_visible()


@pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium here: apt-get install chromium")
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_a_new_language_is_spoken_in_the_browser(pseudo, size, tmp_path, browser):
    server = Server(tmp_path)
    context = browser.new_context(base_url=server.url, viewport=size, locale="xx")
    try:
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto("/")
        expect(page.locator("html")).to_have_attribute("lang", pseudo)  # chosen because the browser prefers it
        for game in GAMES:
            for address in PAGES:
                page.goto(f"/{address.format(game=game.name)}")
                expect(page.get_by_text("⟦").first).to_be_visible()
                page.wait_for_load_state("networkidle")
                assert untranslated(page) == []
                assert page.evaluate(TOO_WIDE) == [], address
            start_against_bots(page, game.name)
            assert untranslated(page) == []
            assert page.evaluate(TOO_WIDE) == [], game.name
        assert errors == []
    finally:
        context.close()
        server.stop()
