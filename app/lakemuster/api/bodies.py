"""Replay of request bodies that a middleware has read."""

from __future__ import annotations

from starlette.types import Message, Receive


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Return an ASGI ``receive`` that replays a body, and then calls the original one."""
    is_given = False

    async def receive_again() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again
