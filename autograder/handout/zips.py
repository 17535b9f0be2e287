"""Write zips reproducibly: equal files give equal bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

_EARLIEST = (1980, 1, 1, 0, 0, 0)  # the time of every file in a zip


def zip_bytes(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of files by path, sorted, with one fixed time and plain permissions."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.external_attr = 0o100644 << 16
            entry.create_system = 3  # as on Unix, wherever it is made
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[name], compresslevel=9)
    return file.getvalue()
