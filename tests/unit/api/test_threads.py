"""Request threads: a table whose storage hangs occupies at most its share."""

from __future__ import annotations

import asyncio
import threading

from fastapi import APIRouter, FastAPI
from fastapi.testclient import TestClient

from lakemuster.api.threads import OF_A_TABLE, TableRoute, run_for

IN_TIME = 20.0


def test_a_blocked_table_leaves_threads_to_others():
    go, begun = threading.Event(), threading.Semaphore(0)

    def wait() -> bool:
        begun.release()
        return bool(go.wait(IN_TIME))

    def seven() -> int:
        return 7

    async def asked() -> tuple[int, list[bool]]:
        waiting = [asyncio.create_task(run_for("sick", wait)) for _ in range(100)]
        other = await asyncio.wait_for(run_for("sound", seven), IN_TIME)
        go.set()
        return other, await asyncio.gather(*waiting)

    other, answers = asyncio.run(asked())
    assert other == 7
    assert answers == [True] * 100


def test_a_table_is_limited_to_its_share_of_threads():
    go, lock = threading.Event(), threading.Lock()
    running = most = 0

    def work() -> None:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == OF_A_TABLE:
                go.set()
        assert go.wait(IN_TIME)
        with lock:
            running -= 1

    async def asked() -> None:
        await asyncio.gather(*(run_for("t", work) for _ in range(3 * OF_A_TABLE)))

    asyncio.run(asked())
    assert most == OF_A_TABLE


def test_a_route_may_have_parameters_of_any_name():
    app = FastAPI()
    router = APIRouter(route_class=TableRoute)

    def echo(name: str, work: str) -> dict[str, str]:
        return {"name": name, "work": work}

    router.add_api_route("/{name}/{work}", echo)
    app.include_router(router)
    assert TestClient(app).get("/files/all").json() == {"name": "files", "work": "all"}
