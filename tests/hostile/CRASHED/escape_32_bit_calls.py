"""Makes a system call of the 32-bit table, where numbers mean other things; surviving it would show that it worked."""

import ctypes
import mmap
import platform


def scale(x, factor):
    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    # 32-bit fork: mov eax, 2; int 0x80; ret
    page.write(b"\xb8\x02\x00\x00\x00\xcd\x80\xc3")
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))
    if platform.machine() == "x86_64":
        print("BREACH" if function() >= 0 else "refused", flush=True)
    raise OSError("not allowed")
