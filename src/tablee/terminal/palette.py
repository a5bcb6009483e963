"""The light and the dark theme, in the colours of the web front end (`web/styles/tokens.css`)."""

from __future__ import annotations

from functools import cache

from rich.style import Style
from textual.theme import Theme

INK, PAPER = "#1B1F2A", "#FFFFFF"
PIECES = {
    "red": ("#B01622", PAPER),
    "orange": ("#FB7D0C", INK),
    "yellow": ("#FFE680", INK),
    "green": ("#2FA35C", INK),
    "sky": ("#7FE3FF", INK),
    "blue": ("#1A5FE8", PAPER),
    "purple": ("#3B1E58", PAPER),
    "pink": ("#E08BB4", INK),
}

DARK = Theme(
    name="dark",
    dark=True,
    primary="#FF9B7A",
    accent="#FF9B7A",
    foreground="#F3EDE2",
    background="#171C26",
    surface="#1F2633",
    panel="#2A3242",
    variables={"quiet": "#A9B0BF", "card": "#E9E1D0", "back": "#3D4A63", "back-ink": "#6F7F9F", "purple": "#6B3FA0"},
)
LIGHT = Theme(
    name="light",
    dark=False,
    primary="#B4371F",
    accent="#B4371F",
    foreground=INK,
    background="#F6F1E7",
    surface="#EDE6D8",
    panel="#E2D9C8",
    variables={"quiet": "#5B6170", "card": "#FFFFFF", "back": "#8D9AB3", "back-ink": "#C9D1E0", "purple": "#3B1E58"},
)
THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


@cache
def style_of(role: str, theme_name: str) -> Style:
    """Return the style of a role: a base and highlights, such as `piece-red next cursor`."""
    theme = THEMES[theme_name]
    base, *highlights = role.split() or [""]
    style = _base(base, theme)
    if "edge" in highlights:
        return Style(color=style.bgcolor, bgcolor=theme.background)
    if "cursor" in highlights:
        style += Style(color=theme.background, bgcolor=theme.accent, bold=True)
    is_bold = bool({"next", "selected", "pointed"} & {*highlights})
    return style + Style(bold=is_bold or None, underline="moved" in highlights or None)


def _base(base: str, theme: Theme) -> Style:
    background, variables = theme.background, theme.variables
    if base.startswith("piece-"):
        colour, ink = PIECES[base.removeprefix("piece-")]
        # The dark theme replaces purple, which is too dark on its background.
        return Style(color=ink, bgcolor=variables.get(base.removeprefix("piece-"), colour))
    return {
        "piece": Style(color=INK, bgcolor=variables["card"]),
        "back": Style(color=variables["back-ink"], bgcolor=variables["back"]),
        "gap": Style(color=variables["quiet"], bgcolor=background),
        "slot": Style(color=variables["quiet"], bgcolor=theme.surface),
        "quiet": Style(color=variables["quiet"], bgcolor=background),
        "accent": Style(color=theme.accent, bgcolor=background, bold=True),
        "turn": Style(color=theme.accent, bgcolor=background, bold=True),
        "name": Style(color=theme.foreground, bgcolor=background, bold=True),
        "strong": Style(color=theme.foreground, bgcolor=background, bold=True),
    }.get(base, Style(color=theme.foreground, bgcolor=background))
