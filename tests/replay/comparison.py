"""Comparison of two responses to a request, and the report of a replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.replay.added import ADDED, CHANGED, LATER, UNORDERED, Addition, columns_of, ordered, without_additions
from tests.replay.exchanges import Answer, Exchange, Request
from tests.replay.masks import MASKS, TOKENS, Mask, masked
from tests.replay.meant import MEANT, Rewording, reworded, without_length
from tests.replay.routes import Operation, Routes, api_of

SHOWN = 20
AROUND = 120
"""Number of bytes shown before and after the first difference."""


def differences_of(base: Answer, tree: Answer) -> dict[str, Any]:
    """Return the differences between two responses by name; empty if they are equal."""
    found: dict[str, Any] = {}
    if base.status != tree.status:
        found["status"] = [base.status, tree.status]
    if base.is_whole != tree.is_whole:
        found["whole"] = [base.is_whole, tree.is_whole]
    if base.headers != tree.headers:
        gone, come = Counter(base.headers) - Counter(tree.headers), Counter(tree.headers) - Counter(base.headers)
        found["headers"] = [sorted(gone.elements()), sorted(come.elements())]
    if base.body != tree.body:
        pairs = zip(base.body, tree.body, strict=False)
        at = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(base.body), len(tree.body)))
        found["body"] = {"at": at, "lengths": [len(base.body), len(tree.body)]}
        found["bytes"] = [_shown(body[max(0, at - AROUND) : at + AROUND]) for body in (base.body, tree.body)]
    return found


@dataclass
class Report:
    """Counts compared responses, and stores the first differences."""

    routes: Routes
    masks: tuple[Mask, ...] = (*MASKS, *LATER)
    meant: tuple[Rewording, ...] = MEANT
    added: tuple[Addition, ...] = ADDED
    requests: Counter[str] = field(default_factory=Counter)
    apis: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    used: Counter[str] = field(default_factory=Counter)
    intended: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    answered: set[Operation] = field(default_factory=set)
    shown: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def over(cls, routes: Routes, *, own_tokens: bool) -> Report:
        """Return an empty report."""
        return cls(routes, (*MASKS, *LATER, TOKENS) if own_tokens else (*MASKS, *LATER))

    @property
    def differences(self) -> int:
        """The number of requests with different responses."""
        return self.differing.total()

    def compare(self, recorded: Exchange, tree: Answer) -> bool:
        """Compare the tree's response with the base's, and count it; return whether they are equal."""
        request, base = recorded.request, recorded.answer
        operation = self.routes.operation_of(request.method, request.path)
        self._count(operation, base)
        if str(operation) in CHANGED:
            return True
        plain, additions = without_additions(tree, str(operation), self.added)
        one, used = masked(_prepared(base, base, str(operation)), str(operation), self.masks)
        other, also = masked(_prepared(base, plain, str(operation)), str(operation), self.masks)
        self.used.update({*used, *also})
        one, other, words = reworded(one, other, self.meant)
        self.intended.update([*(entry.old for entry in words), *(entry.name for entry in additions)])
        found = differences_of(without_length(request.method, one), without_length(request.method, other))
        if not found:
            return True
        self.differing[str(operation)] += 1
        if len(self.shown) < SHOWN:
            about = {"number": self.apis.total(), "session": recorded.session}
            self.shown.append({**about, **_said(request), "found": found, "base": _told(base), "tree": _told(tree)})
        return False

    def unasked(self) -> list[str]:
        """Return the operations of the document without a request."""
        return sorted(str(operation) for operation in self.routes.operations if operation not in self.answered)

    def unused(self) -> list[str]:
        """Return the rewordings and additions that no response used."""
        names = (*(entry.old for entry in self.meant), *(entry.name for entry in self.added))
        return [name for name in names if not self.intended[name]]

    def document(self) -> Mapping[str, Any]:
        """Return the report as a JSON document."""
        return {
            "requests": self.apis.total(),
            "differences": self.differences,
            "by_api": dict(sorted(self.apis.items())),
            "statuses": dict(sorted(self.statuses.items())),
            "forms": dict(self.forms.most_common()),
            "by_route": dict(sorted(self.requests.items())),
            "unasked": self.unasked(),
            "masks": {mask.name: {"reason": mask.reason, "answers": self.used[mask.name]} for mask in self.masks},
            "meant": [
                {
                    "old": entry.old,
                    "new": entry.new if isinstance(entry.new, str) else entry.new.pattern.decode(),
                    "reason": entry.reason,
                    "meant": f"{self.intended[entry.old]} answers by this rewording",
                }
                for entry in self.meant
            ],
            "added": {
                entry.name: {"reason": entry.reason, "meant": f"{self.intended[entry.name]} answers by this addition"}
                for entry in self.added
            },
            "not_compared": CHANGED,
            "order_of_members_not_compared": UNORDERED,
            "differing_routes": dict(self.differing.most_common()),
            "first_differences": self.shown,
        }

    def _count(self, operation: Operation, answer: Answer) -> None:
        self.answered.add(operation)
        self.requests[str(operation)] += 1
        self.apis[api_of(operation.template)] += 1
        self.statuses[str(answer.status)] += 1
        self.forms[(answer.header("content-type") or "none").partition(";")[0]] += 1


def _prepared(base: Answer, answer: Answer, operation: str) -> Answer:
    return ordered(columns_of(base, answer, operation), operation)


def _said(request: Request) -> dict[str, Any]:
    body = _shown(request.body[:2000])
    return {"request": f"{request.method} {request.target}", "headers": dict(request.headers), "body": body}


def _told(answer: Answer) -> dict[str, Any]:
    return {"status": answer.status, "headers": dict(answer.headers), "body": _shown(answer.body[:2000])}


def _shown(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
