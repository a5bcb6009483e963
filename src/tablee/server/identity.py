"""Identity: a person is a name and a random id, in a cookie or bearer token that the server has signed."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from itsdangerous import BadData, URLSafeSerializer

from tablee.storage.identities import identity_key
from tablee.tables.commands import Actor
from tablee.tables.refusals import Refused

COOKIE = "tablee"
COOKIE_SECONDS = 365 * 86_400
MAX_NAME_LENGTH = 24
MAX_TOKEN_LENGTH = 1000
BEARER = "bearer "
# Characters that Python calls printable but that show nothing: fillers, the empty Braille cell, ignorable marks
BLANK_CHARACTERS = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u180f\u2800\u3164\uffa0\U0001d159"
    + "".join(map(chr, range(0xFE00, 0xFE0E)))  # variation selectors, without the two that emoji use
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)


@dataclass(frozen=True)
class Person:
    """A person or program that has a name; the id is shown to nobody else."""

    id: str
    name: str
    is_program: bool = False
    generation: int = 0  # tokens of an earlier one are void: see server/identities.py

    @cached_property
    def key(self) -> str:
        """The hash under which the store knows them; kept, as every message asks whether their token is still valid."""
        return identity_key(self.id)

    def as_actor(self, key: str = "") -> Actor:
        """Return the actor that tables know; command keys are prefixed, so that people cannot use each other's."""
        return Actor(self.id, self.name, self.is_program, f"{self.id}/{key}" if key else "")


class TokenSigner:
    """Signs tokens that say who a person is, and reads them back."""

    def __init__(self, secret: str, is_current: Callable[[Person], bool] = lambda person: True) -> None:
        """Sign with a secret; `is_current` says whether a person's token is still valid."""
        self._serializer = URLSafeSerializer(secret, salt="person")
        self._is_current = is_current

    def token(self, person: Person) -> str:
        """Return a signed token for a person."""
        return str(self._serializer.dumps([person.id, person.name, person.is_program, person.generation]))

    def person(self, token: str | None) -> Person | None:
        """Return the person of a token, None if this server did not sign it or it is no longer valid."""
        if not token or len(token) > MAX_TOKEN_LENGTH:
            return None
        try:
            person = Person(*self._serializer.loads(token))  # of three fields before there were generations
        except (BadData, ValueError, TypeError):
            return None
        return person if self._is_current(person) else None

    def identify(self, cookie: str | None, authorization: str | None) -> Person | None:
        """Return the person of a request's Authorization header or, if it has no bearer token, of its cookie."""
        if authorization and authorization.lower().startswith(BEARER):
            return self.person(authorization[len(BEARER) :].strip())
        return self.person(cookie)


def new_person(name: str, is_program: bool, known: Person | None) -> Person:
    """Return a person of this name, with the id of `known` or a new one."""
    if known is None:
        return Person(f"p{secrets.token_hex(8)}", normalize_name(name), is_program)
    return replace(known, name=normalize_name(name), is_program=is_program)


def normalize_name(name: str) -> str:
    """Return a name in Unicode's NFC with single spaces; raise Refused if it is empty, too long or cannot be seen."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable() or not _can_be_seen(name):
        raise Refused("bad_message", "bad_name")
    return name


def _can_be_seen(name: str) -> bool:
    """Whether a printable text has no character without a shape, and more than marks that change others."""
    is_blank = any(character in BLANK_CHARACTERS for character in name)
    return not is_blank and any(unicodedata.category(character)[0] in "LNPS" for character in name)
