"""Maps shared and private memory past its limit; a gigabyte mapped would show that it worked."""

import mmap


def scale(x, factor):
    kept = []
    for flags in (mmap.MAP_SHARED, mmap.MAP_PRIVATE):
        try:
            while len(kept) < 16:
                kept.append(mmap.mmap(-1, 1 << 26, flags=flags | mmap.MAP_ANONYMOUS))
        except OSError:
            pass
    if len(kept) >= 16:
        print("BREACH", len(kept))
    raise OSError("no more")
