"""The sensors of docs/tutorials/airflow.md with a server; Airflow's base classes are replaced by stubs."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from lakemuster.demo import unpack
from lakemuster.index.database import Database
from lakemuster.index.events import NewEvent, record
from tests.journey.servers import served
from tests.pages import blocks
from tests.tree import ROOT

PAGE = ROOT / "docs" / "tutorials" / "airflow.md"
SERVER = "http://lake.example:8181"
DAY = "2024-05-31"


class Deferred(Exception):
    """The exception with which Airflow hands a task to the triggerer."""


class Base:
    """A stub of an operator or trigger."""

    def __init__(self, **settings: Any) -> None:
        self.settings = settings

    def defer(self, **settings: Any) -> None:
        raise Deferred(settings)


def sensor(**settings: Any) -> Any:
    """Stand in for ``@task.sensor``."""
    return lambda function: SimpleNamespace(poke=function, settings=settings)


@pytest.fixture
def airflow(monkeypatch: pytest.MonkeyPatch) -> None:
    names: dict[str, dict[str, object]] = {
        "airflow": {},
        "airflow.decorators": {"task": SimpleNamespace(sensor=sensor)},
        "airflow.operators": {},
        "airflow.operators.bash": {"BashOperator": Base},
        "airflow.sensors": {},
        "airflow.sensors.base": {"BaseSensorOperator": Base, "PokeReturnValue": SimpleNamespace},
        "airflow.triggers": {},
        "airflow.triggers.base": {"BaseTrigger": Base, "TriggerEvent": SimpleNamespace},
    }
    for name, members in names.items():
        module = ModuleType(name)
        vars(module).update(members)
        monkeypatch.setitem(sys.modules, name, module)
    # Airflow's TriggerEvent takes the payload as its only argument.
    vars(sys.modules["airflow.triggers.base"])["TriggerEvent"] = lambda payload: payload


def test_the_sensors_wait_for_the_event(tmp_path: Path, airflow: None) -> None:
    command, polling, deferring = blocks(PAGE, "py")
    lake = tmp_path / "lake"
    unpack(lake)
    with served(tmp_path / "server", ROOTS=str(lake)) as server:
        server.post("/tables", {"name": "shop.orders", "location": f"{lake}/shop.db/orders"}, 201)
        found: dict[str, Any] = {}
        for text in (command, polling, deferring):
            exec(compile(text.replace(SERVER, server.uri), str(PAGE), "exec"), found)
        assert found["orders_of"].poke(DAY).is_done is False
        task = found["PartitionSensor"]("shop.orders", DAY, task_id="orders")
        with pytest.raises(Deferred) as raised:
            task.execute({})
        trigger = raised.value.args[0]["trigger"]
        path, arguments = trigger.serialize()
        assert path == "lake.PartitionTrigger"
        # The triggerer creates it again from the serialized form.
        trigger = found["PartitionTrigger"](**arguments)
        database = Database(f"sqlite:///{tmp_path}/server/index.db")
        with database.session() as session:
            for day in ("2024-05-30", DAY):
                record(session, [NewEvent("partition.ready", "shop.orders", {"partition": {"day": day}})])
        database.close()

        async def first() -> Any:
            return await anext(trigger.run())

        assert task.done({}, asyncio.run(asyncio.wait_for(first(), 60))) == DAY
