"""FastAPI dependencies of the native API: the caller, the table, the query parameters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, cast

from fastapi import Depends, Path, Query, Request, params
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field

from lakemuster.api.identity.callers import Caller
from lakemuster.api.identity.policy import Action
from lakemuster.api.shared import Api
from lakemuster.api.sidecar.requests import STATE as SIDECAR
from lakemuster.api.sidecar.rights import Rights
from lakemuster.catalog import Selector
from lakemuster.catalog.services import Services
from lakemuster.errors import RequestInvalid
from lakemuster.metadata.names import Levels, format_name, parse_name
from lakemuster.metadata.snapshot import MAIN
from lakemuster.predicates import NanMode
from lakemuster.validation_messages import INT64
from lakemuster.wire.instants import parse_instant
from lakemuster.wire.native.plans import NAN

PREFIX = "/api/v1"
PAGE_SIZE, MAX_PAGE_SIZE = 1000, 10_000
MAX_TOP = 10_000


@dataclass(frozen=True, slots=True)
class Target:
    """A request about one table.

    Attributes:
        name: the table's name in canonical spelling.
    """

    request: Request
    api: Api
    name: str

    @property
    def services(self) -> Services:
        """The catalog's use cases."""
        return self.api.services


def api_of(request: Request) -> Api:
    """Return the app's ``Api``."""
    api: Api = request.app.state.api
    return api


_BEARER = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A bearer token that the server accepts. Not needed if the server has no authentication.",
)


def caller_of(request: Request) -> Caller:
    """Return the admitted caller (see ``api.admission``).

    Raises:
        RequestInvalid: a parameter occurs more than once in the query string.
    """
    if request.scope["query_string"] and not getattr(request.state, "parameters_differ", False):
        twice = {name for name in request.query_params if len(request.query_params.getlist(name)) > 1}
        if twice:
            raise RequestInvalid("a parameter occurs more than once", parameters=sorted(twice))
        request.state.parameters_differ = True
    caller: Caller = request.state.principal
    return caller


async def _asking(request: Request) -> Caller:
    return caller_of(request)


async def _api(request: Request) -> Api:
    return api_of(request)


TheCaller = Annotated[Caller, Depends(_asking)]


def permit(request: Request, action: Action) -> None:
    """Check that the caller has the action's role for some table; :func:`permit_table` checks the requested table.

    If the path names a table, any role will do here: a table that the caller may not see is not found, whatever the
    action.

    Raises:
        NotAuthorised: the caller has the role for no table.
    """
    least: Action = "read" if "table" in request.path_params else action
    api_of(request).identity.policy.require(caller_of(request), least)
    request.state.action = action


def permit_table(request: Request, table: Levels) -> None:
    """Check the caller's rate limits and its role for a table; see :meth:`Policy.require`.

    Responses from the response cache are not counted: they bypass this function, and cost next to nothing.

    Raises:
        RateLimited: the caller has exhausted its limit.
    """
    identity, action = api_of(request).identity, request.state.action
    # Before the policy decides, so that requests for hidden tables are counted, too.
    identity.limits.take("refreshes" if action == "refresh" else "questions", request.state.owner)
    identity.policy.require(caller_of(request), action, table)


async def permit_at_catalog(request: Request, table: Levels) -> None:
    """Check with the catalog that the caller may load the table, if an attached catalog authenticates the caller.

    Raises:
        UpstreamRefused: the catalog does not let this caller load the table.
        UpstreamFailed: the catalog does not answer.
    """
    found = getattr(request.state, SIDECAR, None)
    if found is not None and found.is_forwarded:
        rights: Rights = request.app.state.rights
        await rights.require(found.catalog, table[1:], request)


@dataclass(frozen=True, slots=True)
class Needs:
    """A dependency that requires the role of an action, before the route's other parameters are read.

    It is a single dependency, since each one costs a request some 50 µs.

    Attributes:
        parameters: whether the route has query parameters; if not, any parameter is rejected.
    """

    action: Action
    parameters: bool = True

    async def __call__(
        self, request: Request, _credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)]
    ) -> None:
        """Check the request; see :func:`permit`."""
        permit(request, self.action)
        if not self.parameters and request.query_params:
            raise RequestInvalid("unknown query parameter", parameters=sorted(request.query_params))


def needs(action: Action, *, parameters: bool = True) -> params.Depends:
    """Return the dependency that every route must declare, see :class:`Needs`."""
    return cast("params.Depends", Depends(Needs(action, parameters)))


async def the_table(
    request: Request,
    table: Annotated[
        str, Path(description="Dotted name of the table, `ns.table`; a level that contains a dot is in backticks.")
    ],
) -> Target:
    """Return the table in the path, if the caller may see it; it need not be registered."""
    levels = parse_name(table)
    permit_table(request, levels)
    await permit_at_catalog(request, levels)
    return Target(request, api_of(request), format_name(levels))


class _Parameters(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class BranchParameters(_Parameters):
    """Parameters of one snapshot."""

    branch: str = Field(
        MAIN,
        min_length=1,
        max_length=1024,
        description="The Paimon branch that the snapshot belongs to. Default: `main`.",
    )
    ref: str | None = Field(
        None,
        min_length=1,
        max_length=1024,
        description="A branch or tag that has the snapshot; takes precedence over `branch`.",
    )

    @property
    def other_branch(self) -> str | None:
        """The branch; None for main."""
        return None if self.branch == MAIN else self.branch


Order = Literal["asc", "desc"]


class PageParameters(_Parameters):
    """Parameters of every list."""

    fields: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="Comma-separated names of the fields to return; rows lack all others, also those that the schema "
        "requires. Absent: all.",
    )
    order: Order | None = Field(
        None,
        description="The direction of the list. Absent: `asc`, and `desc` for snapshots. Files and "
        "entries take `desc` only with `sort` and `top`, differences not at all.",
    )

    page_size: int = Field(
        PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE, description="Maximum number of rows in a page; streams ignore it."
    )
    page_token: str | None = Field(
        None,
        max_length=4096,
        description="The previous page's `next_page_token`; the rest of the request must be the same. "
        "Absent: the first page.",
    )

    def choosing(self) -> dict[str, str]:
        """Return the parameters that select the contents of the list: all except those of paging."""
        chosen = self.model_dump(exclude={"page_size", "page_token"}, exclude_none=True, by_alias=True)
        return {name: str(value) for name, value in chosen.items()}


SORT = "Sort by this field; a minus before it means descending. Equal rows keep their order, null comes last. "


class SnapshotChoice(_Parameters):
    """Parameters that select a snapshot."""

    snapshot: str | None = Field(None, pattern=INT64, description="Id of the snapshot to read; responses never change.")
    ref: str | None = Field(None, min_length=1, max_length=1024, description="Branch or tag to read.")
    as_of: str | None = Field(
        None,
        max_length=64,
        description="Read the snapshot that was current at this time: RFC 3339, or milliseconds since 1970-01-01 UTC.",
    )

    def selector(self) -> Selector:
        """Return the selector of the snapshot.

        Raises:
            RequestInvalid: more than one of snapshot, ref and as_of is given, or a value is invalid.
        """
        if sum(value is not None for value in (self.snapshot, self.ref, self.as_of)) > 1:
            raise RequestInvalid("snapshot, ref and as_of are mutually exclusive")
        return Selector(
            None if self.snapshot is None else snapshot_id(self.snapshot),
            self.ref,
            None if self.as_of is None else parse_instant(self.as_of),
        )


class SnapshotParameters(SnapshotChoice, PageParameters):
    """Parameters of every list of a snapshot."""


class SortedParameters(SnapshotParameters):
    """Parameters of a list of a snapshot that is sorted whole."""

    sort: str | None = Field(
        None,
        min_length=1,
        max_length=200,
        description=SORT + "A field of the partition is `partition.NAME`. Absent: the list's own order.",
    )
    top: int | None = Field(None, ge=1, le=MAX_TOP, description="List only this many rows, the first ones.")


class TopParameters(SnapshotParameters):
    """Parameters of a list of a snapshot that is too long to be sorted whole."""

    sort: str | None = Field(
        None, min_length=1, max_length=200, description=SORT + "Needs `top`. Absent: the list's own order."
    )
    top: int | None = Field(
        None,
        ge=1,
        le=MAX_TOP,
        description="With `sort`: list only this many rows, the first ones of the whole list. Reads the whole list.",
    )


class EntriesParameters(TopParameters):
    """Parameters of entries."""

    manifest: str | None = Field(
        None, min_length=1, max_length=4096, description="Location or file name of one manifest. Absent: all manifests."
    )


class FilterParameters(_Parameters):
    """Parameters that choose files by their rows."""

    filter: str | None = Field(
        None,
        min_length=1,
        max_length=16_384,
        description="Only data files that may hold matching rows, and the delete files that apply to them: a SQL "
        "condition, or an Iceberg expression as JSON text. Absent: all live files.",
    )
    nan: NanMode | None = Field(None, description=NAN)


class PartitionsParameters(FilterParameters, SortedParameters):
    """Parameters of partitions: only those that have such files, with the counts of these."""


class FilesParameters(FilterParameters, TopParameters):
    """Parameters of files."""

    content: str | None = Field(
        None,
        max_length=200,
        description="Comma-separated kinds of files: `data`, `position-deletes`, `equality-deletes`, "
        "`changelog`. Absent: all.",
    )
    stats: str | None = Field(
        None,
        max_length=65_536,
        description="Comma-separated columns whose statistics to return; `*` for all. Absent: none.",
    )


class DiffParameters(SnapshotParameters):
    """Parameters of a difference."""

    start: str = Field(alias="from", pattern=INT64, description="Id of the earlier snapshot.")
    end: str | None = Field(
        None,
        alias="to",
        pattern=INT64,
        description="Id of the later snapshot. Absent: the one that `ref` or `as_of` selects, or the current one.",
    )


def snapshot_id(text: str) -> int:
    """Parse a snapshot's id.

    Raises:
        RequestInvalid: it is not a 64-bit integer.
    """
    digits = text.removeprefix("-")
    if digits.isascii() and digits.isdigit() and len(digits) <= 19:
        number = int(text)
        if -(2**63) <= number < 2**63:
            return number
    raise RequestInvalid("a snapshot id must be a 64-bit integer")


TheTable = Annotated[Target, Depends(the_table)]
TheApi = Annotated[Api, Depends(_api)]
BranchQuery = Annotated[BranchParameters, Query()]
PagedQuery = Annotated[PageParameters, Query()]
SnapshotQuery = Annotated[SnapshotParameters, Query()]
SortedQuery = Annotated[SortedParameters, Query()]
PartitionsQuery = Annotated[PartitionsParameters, Query()]
EntriesQuery = Annotated[EntriesParameters, Query()]
FilesQuery = Annotated[FilesParameters, Query()]
DiffQuery = Annotated[DiffParameters, Query()]
