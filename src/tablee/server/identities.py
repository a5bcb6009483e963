"""Identities on several devices: copied by a code, signed out, deleted with everything about a person."""

from __future__ import annotations

import hashlib
import io
import secrets
import time
import zipfile
from contextlib import suppress
from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.responses import Response

from tablee.core.errors import UnknownGame
from tablee.protocol.rest import Contact, Me, NewContact, NewDevice, Transfer
from tablee.server.identity import COOKIE, COOKIE_SECONDS, Person
from tablee.server.limits import Bucket, Buckets
from tablee.server.openapi import answers, body
from tablee.server.reach import qr_picture
from tablee.server.registry import ID_LETTERS, TableRegistry
from tablee.server.requests import RequestGuard, answer, read_body
from tablee.storage.export import record_of
from tablee.storage.identities import DELETED, IdentityStore
from tablee.storage.rows import TableRow
from tablee.tables.events import TableEvent
from tablee.tables.evolution import rebuild_table
from tablee.tables.refusals import Refused
from tablee.tables.table import OVER, OutdatedTable

CODE_LETTERS = 8  # of 31: 40 bits, for ten minutes
CODE_SECONDS = 600.0
TRY_RATE, TRY_BURST = 1.0, 20.0  # wrong and right codes together, all clients of this process


def add_routes(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    """Add the routes."""
    identities = registry.identities
    _add_devices(api, registry, guard, identities)
    _add_contact(api, registry, guard, identities)
    _add_records(api, registry, guard)

    @api.delete("/me/everything", status_code=204, responses=answers(None, 401, 403, 429, 503))
    async def delete_everything(request: Request) -> Response:
        """Give up all seats, delete everything about the person, and make their tokens void."""
        person = guard.writer(request)
        generation = await identities.raise_generation(person.id)
        registry.generations.set(person.id, generation)  # nothing new while it is deleted
        await registry.forget(person)
        for table_id in await identities.erase(person.id):
            await registry.reload_names(table_id)
        registry.generations.set(person.id, DELETED)
        deleted = Response(status_code=204)
        deleted.delete_cookie(COOKIE)
        return deleted


def _add_devices(api: APIRouter, registry: TableRegistry, guard: RequestGuard, identities: IdentityStore) -> None:
    tries = Bucket(TRY_RATE, TRY_BURST)
    new_codes = Buckets(0.1, 5.0)

    @api.post("/me/transfers", status_code=201, responses=answers(Transfer, 401, 403, 429, 503, status=201))
    async def new_transfer(request: Request) -> Response:
        """Draw a code that copies the identity to another device, once, within ten minutes."""
        person = guard.writer(request)
        new_codes.take(person.id)
        code = "".join(secrets.choice(ID_LETTERS) for _ in range(CODE_LETTERS))
        expires_at = time.time() + CODE_SECONDS
        await identities.add_transfer(_hashed(code), person.id, guard.signer.token(person), expires_at)
        link = f"{guard.public_address(request)}/me#{code}"
        return answer(Transfer(f"{code[:4]}-{code[4:]}", link, qr_picture(link), expires_at), 201)

    @api.put("/me/device", responses=answers(Me, 403, 404, 413, 429, 503), openapi_extra=body(NewDevice))
    async def use_transfer(request: Request) -> Response:
        """Become, on this device, the person whose code it is."""
        guard.check_origin(request)
        tries.take()
        code = "".join((await read_body(request, NewDevice)).code.lower().replace("-", " ").split())
        person = guard.signer.person(await identities.take_transfer(_hashed(code)))
        if person is None:
            raise Refused("not_found", "bad_code")
        return _identified(request, guard, person)

    @api.delete("/me/devices", responses=answers(Me, 401, 403, 429, 503))
    async def sign_out_others(request: Request) -> Response:
        """Make all tokens of the person void but the one that this answer sets."""
        person = guard.writer(request)
        generation = await identities.raise_generation(person.id)
        registry.generations.set(person.id, generation)
        return _identified(request, guard, replace(person, generation=generation))


def _hashed(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _identified(request: Request, guard: RequestGuard, person: Person) -> Response:
    """Return who a person is, with their cookie."""
    token = guard.signer.token(person)
    identified = answer(Me(person.name, person.id, token if person.is_program else None))
    is_secure = request.url.scheme == "https"
    identified.set_cookie(COOKIE, token, COOKIE_SECONDS, httponly=True, samesite="lax", secure=is_secure)
    return identified


def _add_contact(api: APIRouter, registry: TableRegistry, guard: RequestGuard, identities: IdentityStore) -> None:
    @api.get("/me/contact", responses=answers(Contact, 401, 503))
    async def contact(request: Request) -> Response:
        """Return where the person is told that it is their turn."""
        stored = await identities.find(guard.person(request).id)
        return answer(Contact(bool(registry.settings.webhook), stored.contact))

    @api.put("/me/contact", responses=answers(Contact, 401, 403, 413, 429, 503), openapi_extra=body(NewContact))
    async def set_contact(request: Request) -> Response:
        """Set where the person is told that it is their turn; empty: nowhere."""
        person = guard.writer(request)
        wanted = " ".join((await read_body(request, NewContact)).contact.split())
        if not wanted.isprintable():
            raise Refused("bad_message", "bad_text")
        await identities.set_contact(person.id, wanted)
        return answer(Contact(bool(registry.settings.webhook), wanted))


def _add_records(api: APIRouter, registry: TableRegistry, guard: RequestGuard) -> None:
    downloads = Buckets(0.05, 3.0)

    @api.get("/me/records.zip", responses=answers("application/zip", 401, 429, 503))
    async def records(request: Request) -> Response:
        """Return the records of the person's last finished games, as one file."""
        person = guard.person(request)
        downloads.take(person.id)
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            for row in [row for row in await registry.store.tables_of(person.id) if row.phase == OVER]:
                events = await registry.store.events(row.id)
                await registry.turns.run(person.id, _add_record, file, row, events)
        headers = {"Content-Disposition": 'attachment; filename="tablee-records.zip"'}
        return Response(archive.getvalue(), media_type="application/zip", headers=headers)


def _add_record(archive: zipfile.ZipFile, row: TableRow, events: list[TableEvent]) -> None:
    """Replay a game and add its record, unless it was dealt by rules that are not installed."""
    with suppress(OutdatedTable, UnknownGame):
        text = record_of(rebuild_table(row.id, events)).text()
        archive.writestr(f"{row.game}-{row.id}.tablee", text)
