"""Addresses of clients: which of them count as one, and which proxies may speak for others."""

from __future__ import annotations

import ipaddress
import os
from functools import lru_cache

PROXIES_VARIABLE = "FORWARDED_ALLOW_IPS"  # as in uvicorn: proxies whose X-Forwarded-* headers are believed
DEFAULT_PROXIES = "127.0.0.1"  # uvicorn's default
IPV6_PREFIX = 64  # bits that a provider gives to one customer; within them a client changes its address at will
MAX_HOST_LENGTH = 64  # of an address as text
THIS_MACHINE = frozenset({"127.0.0.1", "::1"})


@lru_cache(maxsize=4096)
def address_group(host: str) -> str:
    """Return what limits per address count: an IPv4 address, the /64 network of an IPv6 address, or the text itself.

    "" is this machine, when no proxy speaks for another client: it is not limited.
    """
    if host in THIS_MACHINE or not host:
        return ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:MAX_HOST_LENGTH]
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return address_group(str(address.ipv4_mapped))
    return str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False))


class TrustedProxies:
    """The proxies whose word about a client's address is believed: addresses and networks, or `*` for all."""

    def __init__(self, text: str | None = None) -> None:
        if text is None:
            text = os.environ.get(PROXIES_VARIABLE, DEFAULT_PROXIES)
        listed = [part.strip() for part in text.split(",") if part.strip()]
        self._trusts_all = "*" in listed
        self._networks = [network for part in listed if (network := _network(part)) is not None]

    def __contains__(self, host: str) -> bool:
        if self._trusts_all:
            return True
        try:
            address = ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            return False
        return any(address in network for network in self._networks)


def _network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network | None:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        return None
