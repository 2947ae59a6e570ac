"""Verify an object's bytes by the MD5 that storage returns with them.

Avro and JSON have no checksums, so bytes changed or lost in transit could decode to another list of files.
"""

from __future__ import annotations

from lakemuster.errors import StorageUnavailable


class ContentDigests:
    """Checks the digests of one store, by bucket.

    A compatible store may return digests that only look like an MD5 of the content. As long as none of a bucket has
    matched, the same bytes received twice are accepted.
    """

    def __init__(self) -> None:
        self._true: set[str] = set()

    def check(self, bucket: str, where: str, told: str | None, found: str, refused: set[str]) -> None:
        """Reject bytes whose MD5 does not match.

        Args:
            told: the MD5 in hex that storage returned; None if it returned none.
            found: the MD5 of the bytes.
            refused: the MD5s of earlier attempts that did not match; a mismatch is added.

        Raises:
            StorageUnavailable: the bytes do not match; another attempt may get the right ones.
        """
        if told == found:
            self._true.add(bucket)
        elif told is not None and (bucket in self._true or found not in refused):
            refused.add(found)
            raise StorageUnavailable(f"{where}: the bytes that arrived do not match the object's ETag or MD5")
