"""Makes a system call of the x32 table, whose numbers a filter may not know; surviving it with an answer would show that it worked."""

import ctypes
import mmap
import platform


def scale(x, factor):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    # getpid with the bit set: mov eax, 0x40000027; syscall; ret
    page.write(b"\xb8\x27\x00\x00\x40\x0f\x05\xc3")
    function = ctypes.CFUNCTYPE(ctypes.c_long)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    if platform.machine() == "x86_64" and function() > 0:
        print("BREACH", flush=True)
    raise OSError("not allowed")
