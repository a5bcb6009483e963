"""Who can reach this server: this machine only, or phones and computers in the same network."""

from __future__ import annotations

import io
import ipaddress
import socket
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import segno

EVERY_INTERFACE = "0.0.0.0"
LOOPBACK = "127.0.0.1"
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv")
ELSEWHERE = "192.0.2.1"  # an address for documentation: no packet is sent to it (RFC 5737)

Obstacle = Literal["local", "container", "no_network"]


def network_address(host: str, port: int) -> str | Obstacle:
    """Return the URL by which others in the network reach a server that listens on `host`, or what is in the way."""
    if host != EVERY_INTERFACE:
        return "local" if _is_loopback(host) else local_url(host, port)
    if any(Path(mark).exists() for mark in CONTAINER_MARKS):
        return "container"
    address = _own_address()
    return "no_network" if address is None else local_url(address, port)


def local_url(host: str, port: int) -> str:
    """Return the URL of a server on an interface."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def _own_address() -> str | None:
    """Return the address of the interface by which this machine reaches others; None without a network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((ELSEWHERE, 9))  # a datagram socket only looks up the route
            address = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if _is_loopback(address) else address


def is_local_url(url: str) -> bool:
    """Whether only this machine can open a URL."""
    return _is_loopback(urlsplit(url).hostname or "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def qr_picture(url: str) -> str:
    """Return a QR code as the data URI of an SVG."""
    return str(segno.make(url, error="m").svg_data_uri(scale=6, dark="#000", light="#fff"))


def qr_text(url: str, columns: int) -> str:
    """Return a QR code of half blocks for a terminal, empty if it is too narrow."""
    code = segno.make(url, error="l", micro=False)
    if code.symbol_size(border=2)[0] > columns:
        return ""
    lines = io.StringIO()
    code.terminal(lines, compact=True, border=2)
    return lines.getvalue()
