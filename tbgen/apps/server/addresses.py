"""The socket that a server listens on, and the addresses under which it is reached."""

from __future__ import annotations

import os
import socket
from typing import Final

import psutil

from tbgen.errors import AddressError

ANY_ADDRESS: Final = ("0.0.0.0", "::", "")
"""The hosts that stand for all addresses of this machine."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; AddressError if that is impossible."""
    try:
        addresses = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, _, _, _, address = addresses[0]
        unnamed = socket.create_server(address[:2], family=family)
    except (socket.gaierror, UnicodeError):
        raise AddressError(host, port, "there is no such host") from None
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else "there is no such host"
        raise AddressError(host, port, reason) from None
    # asyncio sets TCP_NODELAY only on sockets that name their protocol. Without it, the body of an
    # answer on a kept connection waits 40 ms until the client has confirmed the head.
    return socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP, unnamed.detach())


def addresses_for_others(listening: socket.socket) -> list[str]:
    """The addresses of a socket that listens on all, for other machines, as URLs write them."""
    addresses = list[str]()
    for interface in psutil.net_if_addrs().values():
        for entry in interface:
            if entry.family != listening.family:
                continue
            address = entry.address.partition("%")[0]
            is_local = address.startswith(("127.", "fe80:")) or address == "::1"
            if not is_local:
                addresses.append(in_url(address))
    return addresses


def in_url(address: str) -> str:
    """An address as URLs write it.

    >>> in_url("::1"), in_url("127.0.0.1")
    ('[::1]', '127.0.0.1')
    """
    return f"[{address}]" if ":" in address else address
