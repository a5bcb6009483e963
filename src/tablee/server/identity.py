"""Who is who: a guest is a name and a random id, in a cookie or token that the server has signed."""

from __future__ import annotations

import secrets
import unicodedata
from dataclasses import dataclass

from itsdangerous import BadData, URLSafeSerializer

from tablee.tables.commands import Actor
from tablee.tables.refusals import Refused

COOKIE = "tablee"
COOKIE_SECONDS = 365 * 86_400
MAX_NAME_LENGTH = 24
BEARER = "bearer "


@dataclass(frozen=True)
class Person:
    """Somebody the server knows; the id is for itself and for him alone."""

    id: str
    name: str
    is_program: bool = False

    def as_actor(self, key: str = "") -> Actor:
        """Return him as a table knows him; the key of a command is his own."""
        return Actor(self.id, self.name, self.is_program, f"{self.id}/{key}" if key else "")


class TokenSigner:
    """Signs who somebody is, and knows his own signature."""

    def __init__(self, secret: str) -> None:
        self._signer = URLSafeSerializer(secret, salt="person")

    def token(self, person: Person) -> str:
        """Return a signed token."""
        return str(self._signer.dumps([person.id, person.name, person.is_program]))

    def person(self, token: str | None) -> Person | None:
        """Return whom a token is for, None if it is not ours."""
        if not token or len(token) > 1000:
            return None
        try:
            person, name, is_program = self._signer.loads(token)
        except (BadData, ValueError, TypeError):
            return None
        return Person(person, name, is_program)

    def recognised(self, cookie: str | None, authorization: str | None) -> Person | None:
        """Return who comes with a cookie or a bearer token."""
        if authorization and authorization.lower().startswith(BEARER):
            return self.person(authorization[len(BEARER) :].strip())
        return self.person(cookie)


def new_person(name: str, is_program: bool, known: Person | None) -> Person:
    """Return somebody under a new name; who was known keeps his id."""
    return Person(known.id if known else f"p{secrets.token_hex(8)}", checked_name(name), is_program)


def checked_name(name: str) -> str:
    """Return a name as people write it, or refuse it."""
    name = " ".join(unicodedata.normalize("NFC", name).split())
    if not 1 <= len(name) <= MAX_NAME_LENGTH or not name.isprintable():
        raise Refused("bad_message", "bad_name")
    return name
