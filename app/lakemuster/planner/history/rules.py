"""The rules of a table format for history: which entries a commit changed, and what an expiry would remove."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

import pyarrow as pa

from lakemuster.errors import FormatUnsupported
from lakemuster.index import Index
from lakemuster.metadata.snapshot import Snapshot
from lakemuster.planner.formats import FormatRegistry
from lakemuster.planner.history.expiry import ExpiryState, Policy, Retention
from lakemuster.planner.history.references import ReferenceState
from lakemuster.planner.list_rules import row_projection_of
from lakemuster.planner.lists.entries import EntrySource
from lakemuster.planner.manifest_list import LIVE_ROLES, parts
from lakemuster.planner.row_projection import ManifestPart, RequestedColumns
from lakemuster.planner.view import View

ChangedEntries = tuple[list[tuple[ManifestPart, pa.Table]], list[tuple[ManifestPart, pa.Table]]]
"""Entries that a commit added, and entries that it removed, by manifest. An entry in both has not changed."""


def unshared_entries(index: Index, old: View | None, new: View) -> ChangedEntries:
    """Return the live entries of the manifests that only one of two snapshots lists."""
    added = _source(index, new)
    removed = None if old is None else _source(index, old)
    before = set() if removed is None else {part.manifest.id for part in removed.parts}
    after = {part.manifest.id for part in added.parts}
    return (
        [(part, added.listed(part)) for part in added.parts if part.manifest.id not in before],
        []
        if removed is None
        else [(part, removed.listed(part)) for part in removed.parts if part.manifest.id not in after],
    )


def _source(index: Index, view: View) -> EntrySource:
    projection = row_projection_of(view, RequestedColumns())
    return EntrySource("files", index, view, parts(index, view, LIVE_ROLES), projection)


def no_words(_: Snapshot) -> Mapping[str, int]:
    """Return no figures: the format's snapshots record none."""
    return {}


def no_expiry(*_: object) -> NoReturn:
    """Refuse to determine what an expiry would remove.

    Raises:
        FormatUnsupported: always.
    """
    raise FormatUnsupported("this table format does not support the expiry of snapshots")


def no_references(*_: object) -> NoReturn:
    """Refuse to list the files that snapshots refer to.

    Raises:
        FormatUnsupported: always.
    """
    raise FormatUnsupported("this table format does not tell which files its snapshots refer to")


@dataclass(frozen=True, slots=True)
class HistoryRules:
    """The rules of one format.

    Attributes:
        changed_entries: returns the entries that a commit changed, given the snapshot before it and its own.
        needs_parent: whether ``changed_entries`` needs the snapshot before it; if not, snapshots record their changes.
        writer_figures: returns the figures that a snapshot's writer recorded, by the names of the timeline.
        retention: returns the decisions of an expiry.
        expired_files: lists the files that it would remove, once all snapshots that the retention needs are published.
        references: lists the files that published snapshots refer to, in the shape of ``references.REFERENCES``.
        numbers_snapshots: whether the ids of a branch's snapshots are consecutive, so that gaps reveal expired ones.
    """

    changed_entries: Callable[[Index, View | None, View], ChangedEntries] = unshared_entries
    needs_parent: bool = True
    writer_figures: Callable[[Snapshot], Mapping[str, int]] = no_words
    numbers_snapshots: bool = False
    retention: Callable[[ExpiryState, Policy], Retention] = no_expiry
    expired_files: Callable[[Index, ExpiryState, Policy, Retention], pa.Table] = no_expiry
    references: Callable[[Index, ReferenceState], Iterator[pa.RecordBatch]] = no_references


PLAIN_HISTORY = HistoryRules()
"""For formats whose manifests do not cancel one another's entries, and whose snapshots name their parents."""

HISTORY_RULES: FormatRegistry[HistoryRules] = FormatRegistry()
