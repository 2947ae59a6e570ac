"""The table formats that this process knows: Iceberg and Paimon, and those that were registered besides.

A process that opens the catalog registers a third format first. Decoder processes and Spark executors need no call of
their own: the port is pickled with their tasks, and only has to be importable there.
"""

from __future__ import annotations

from lakemuster.errors import FormatUnsupported
from lakemuster.formats.iceberg.table_format import IcebergFormat
from lakemuster.formats.paimon.table_format import PaimonFormat
from lakemuster.formats.protocol import FormatPort
from lakemuster.metadata.format_names import add_format_name

# In the order in which locations are tried: a Paimon table may hold Iceberg metadata, too.
_FORMATS: dict[str, FormatPort] = {port.name: port for port in (PaimonFormat(), IcebergFormat())}


def register(port: FormatPort) -> None:
    """Register a table format; registering it again is not an error.

    Raises:
        ValueError: another format has this name.
    """
    known = _FORMATS.setdefault(port.name, port)
    if type(known) is not type(port):
        raise ValueError(f"a table format named {port.name} is already registered")
    add_format_name(port.name)


def table_formats() -> tuple[FormatPort, ...]:
    """Return all formats, in the order in which a location of unknown format is tried."""
    return tuple(_FORMATS.values())


def format_of(name: str) -> FormatPort:
    """Return the format of a name.

    Raises:
        FormatUnsupported: it is not registered.
    """
    port = _FORMATS.get(name)
    if port is None:
        raise FormatUnsupported(f"table format {name!r} is not known", format=name)
    return port
