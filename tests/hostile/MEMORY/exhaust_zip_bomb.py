"""Unpacks a bomb of a gigabyte; getting it would show that it worked."""

import zlib


def scale(x, factor):
    packer = zlib.compressobj(9, wbits=-15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    print("BREACH", len(zlib.decompress(block * 1000 + packer.flush(), wbits=-15, bufsize=1 << 29)))
