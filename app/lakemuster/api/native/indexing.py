"""The parameter, and the response 202, of routes that may index snapshots before they respond."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from lakemuster.api.native.dependencies import Target
from lakemuster.metadata.names import parse_name
from lakemuster.wire.documents import dumps
from lakemuster.wire.native.timeline import IndexingOut

RETRY_SECONDS = 1


class IndexingParameters(BaseModel):
    """The parameter that has snapshots indexed first."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    index: bool = Field(
        False,
        description="Index the snapshots that are needed first, which requires the role `index`. While that takes "
        "longer than a request waits, the response is 202.",
    )

    def require(self, table: Target) -> None:
        """Check that the caller may have the table indexed, if the request asks for it.

        Raises:
            NotAuthorised: the caller lacks the role.
        """
        if self.index:
            table.api.identity.policy.require(table.request.state.principal, "refresh", parse_name(table.name))


def indexing_answer(progress: IndexingOut) -> Response:
    """Return the response while snapshots are being indexed."""
    headers = {"Retry-After": str(RETRY_SECONDS), "Cache-Control": "no-store"}
    return Response(dumps(progress.model_dump(mode="json")), 202, media_type="application/json", headers=headers)
