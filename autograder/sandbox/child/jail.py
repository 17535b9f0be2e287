"""What locks a child in: Landlock, seccomp, resource limits, no new privileges.

Theory of operation. There are three kinds of process.

The *grader* is trusted and holds the answers. It starts one *zygote* per slot by exec, with a clean environment, so
that no secret is ever in a zygote's memory; where the machine allows it, inside bubblewrap: own user, pid, network,
ipc and uts namespaces, a read-only root of system libraries and Python alone, and a scratch tmpfs of bounded size.

The zygote imports numpy (and torch where an assignment needs it), stays single-threaded, and forks one *child* per
submission, one at a time. The grader passes it five descriptors over a socketpair, which it hands to the child unread:
the job (inputs, to read only), a pipe that says when more of it is there, the result pipe, a file of eight bytes, sealed at
that size, in which the child says what it has begun, the log pipe. It passes back a pidfd, by which the grader kills. A pipe's direction binds the child to nothing, since /proc/self/fd opens it the other
way as well and Landlock does not see that: so no end that the grader holds is waited for without a deadline (`pipes.py`).

The child, before any student code: closes every other descriptor, sets its limits, gives up capabilities and new
privileges, and applies the two filters made here. **Landlock** (`Landlock.confine`) leaves it the system's and Python's
files to read and its scratch folder to write: no course files, no /proc. **seccomp** (`compile_filter`, `load_filter`) leaves it the
system calls that numpy and torch make: no sockets, no new processes, no exec, no signals to others, no tracing, no
memory that limits cannot see. Then it sends one `ready` and runs the submission. A child that ends before `ready` is
the sandbox's fault; after it, the student's.

A submission's source is looked through, where that is needed, by a child of its own that runs nothing of it: what it says can
be believed, and a source that brings a parser down brings down that child.

A child that is to compute on a GPU has a way to its driver besides: device nodes that Landlock lets it open and tell things
(ioctl), which the system-call filter then lets pass, and the driver's files to read. It starts CUDA by itself, after the fork:
a zygote that had would be of no use to its children, so no GPU is visible to a zygote, and none is counted there. The driver's
library reads what the child is (/proc/self), names its threads there, listens at a socket to which nobody can connect, and
shares memory without a file with the device. RLIMIT_DATA does not see that: the grader watches it, and the GPU's memory.

Rules name inodes, so a ruleset is built after every mount is in place, once per zygote; the scratch folder is
emptied between children but never replaced. Every mechanism here is tried in a throw-away child before it is
believed (`zygote.py`, `levels.py`).
"""

from __future__ import annotations

import ctypes
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

_CAPABILITY_VERSION = 0x20080522
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2
_LANDLOCK_CREATE_RULESET, _LANDLOCK_ADD_RULE, _LANDLOCK_RESTRICT_SELF = 444, 445, 446
_RULE_PATH_BENEATH = 1
_VERSION = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_ON_DEVICES = _WRITE_FILE | _READ_FILE | _IOCTL_DEV
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
# Device nodes, sockets and fifos are never needed, so even the scratch folder does not get those rights.
_MAKE_SPECIAL = (1 << 6) | (1 << 9) | (1 << 10) | (1 << 11)
# Rights the kernel knows at each version of the interface: 1, then +REFER, +TRUNCATE, (network), +IOCTL_DEV.
_KNOWN_FS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1}
_ALL_FS = (1 << 16) - 1
_ALL_TCP = 0b11
_ALL_SCOPES = 0b11  # abstract unix sockets and signals to processes outside
_SCOPES_SINCE, _NETWORK_SINCE = 6, 4

_libc = ctypes.CDLL(None, use_errno=True)


# Here, so that no child has to make the types of them.
_OF_THIS_PROCESS, _NO_CAPABILITIES = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()


class JailError(OSError):
    """The kernel does not offer a mechanism, or refused it."""


class Landlock:
    """A ruleset made once and applied by each child to itself."""

    def __init__(self, readable: Iterable[str], writable: Iterable[str], devices: Iterable[str] = ()) -> None:
        version = _libc.syscall(_LANDLOCK_CREATE_RULESET, None, 0, _VERSION)
        if version < 1:
            raise JailError(ctypes.get_errno(), "Landlock is not offered by this kernel")
        handled = self._handled = _KNOWN_FS.get(version, _ALL_FS)
        words = [handled]
        if version >= _NETWORK_SINCE:
            words.append(_ALL_TCP)
        if version >= _SCOPES_SINCE:
            words.append(_ALL_SCOPES)
        attributes = (ctypes.c_uint64 * len(words))(*words)
        self.descriptor = _checked(_libc.syscall(_LANDLOCK_CREATE_RULESET, attributes, ctypes.sizeof(attributes), 0))
        for path in readable:
            self._allow(path, _READ & handled)
        for path in writable:
            self._allow(path, handled & ~_MAKE_SPECIAL & ~_EXECUTE)
        for path in devices:
            self._allow(path, _ON_DEVICES & handled)

    def _allow(self, path: str, rights: int) -> None:
        try:
            fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return  # what is not there needs no rule
        try:
            if not Path(path).is_dir():
                rights &= _ON_FILES
            rule = rights.to_bytes(8, "little") + fd.to_bytes(4, "little")
            _checked(_libc.syscall(_LANDLOCK_ADD_RULE, self.descriptor, _RULE_PATH_BENEATH, rule, 0))
        finally:
            os.close(fd)

    def show_process(self) -> None:
        """Let this process, whose number a ruleset cannot know before, read what it is, and name its threads."""
        self._allow("/proc/self", _READ & self._handled)
        self._allow("/proc/self/task", (_READ | _WRITE_FILE | _TRUNCATE) & self._handled)

    def confine(self) -> None:
        """Confine this process and all it may start, for good."""
        _checked(_libc.syscall(_LANDLOCK_RESTRICT_SELF, self.descriptor, 0))
        os.close(self.descriptor)


def guard_memory(*, guarded: bool) -> None:
    """Keep this process's memory and descriptors from others of its user, also where they can read /proc; or stop to."""
    _checked(_libc.prctl(_PR_SET_DUMPABLE, int(not guarded), 0, 0, 0))


def drop_capabilities() -> None:
    """Give up what root may do beyond its own files; a grader that runs as root would else pass that on."""
    _checked(_libc.capset(_OF_THIS_PROCESS, _NO_CAPABILITIES))


def forbid_new_privileges() -> None:
    """Make setuid programs and file capabilities powerless; the two filters need this first."""
    _checked(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise JailError(number, os.strerror(number))
    return result


# What numpy and torch need on a CPU, and no more. Everything else fails with EPERM. No timer_create: such a timer may
# send any signal, and a SIGKILL looks like one from outside. No truncate: Landlock's first two versions let it pass.
_ALLOWED = """
read write readv writev pread64 pwrite64 preadv pwritev lseek close dup dup2 dup3 pipe pipe2
open openat openat2 creat stat lstat fstat newfstatat statx access faccessat faccessat2 readlink readlinkat
getcwd chdir fchdir getdents getdents64 statfs fstatfs umask
rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat mkdir mkdirat rmdir
ftruncate fallocate fsync fdatasync sync_file_range fadvise64 readahead sendfile copy_file_range
mprotect munmap mremap msync mincore madvise brk mlock munlock
rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack
pause alarm getitimer setitimer
nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time times
poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait eventfd eventfd2
timerfd_create timerfd_settime timerfd_gettime
futex futex_waitv set_robust_list get_robust_list set_tid_address rseq membarrier arch_prctl
getpid getppid gettid getpgrp getpgid getsid getuid geteuid getgid getegid getgroups getresuid getresgid
getrlimit getrusage sysinfo uname getcpu getrandom getpriority capget
sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
wait4 waitid restart_syscall exit exit_group
""".split()  # noqa: SIM905 (one call a line would be a page)
_CLONE_THREAD = 0x00010000
# Private memory, and files to share: RLIMIT_DATA sees neither shared memory without a file nor a stack that grows.
_MAP_SHARED, _MAP_PRIVATE, _MAP_KIND, _MAP_ANONYMOUS, _MAP_GROWSDOWN = 1, 2, 0xF, 0x20, 0x100
_MAPPINGS = (
    (_MAP_PRIVATE, _MAP_KIND | _MAP_GROWSDOWN),
    (_MAP_SHARED, _MAP_KIND | _MAP_GROWSDOWN | _MAP_ANONYMOUS),
)
_SHARED_WITH_GPU = ((_MAP_SHARED | _MAP_ANONYMOUS, _MAP_KIND | _MAP_GROWSDOWN | _MAP_ANONYMOUS),)
_TERMINAL_QUERIES = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)  # TCGETS, TIOCGWINSZ, FIO{NREAD,NBIO,NCLEX,CLEX}
_FCNTL_COMMANDS = (0, 1, 2, 3, 4, 1030)  # duplicate, flags; no locks, no owners to be signalled
_PRCTL_OPTIONS = (3, 15, 16, 0x53564D41)  # dumpable?, thread names, names of mappings
_NO_SUCH_CALL = ("clone3", "rseq_slice_yield")  # glibc falls back where a call does not exist


# What a GPU's driver needs besides, as seen of version 580. Its library asks where memory lies, and listens for siblings, of
# which none can call: no socket may be connected to. What it shares with the device is mapped without a file.
_BESIDE_GPU = """
ioctl get_mempolicy set_mempolicy mbind move_pages sched_setaffinity
bind listen accept accept4 getsockname getsockopt setsockopt
""".split()  # noqa: SIM905
_AF_UNIX = 1


def compile_filter(*, gpu: bool = False) -> bytes:
    """Return the system-call filter as a BPF program. Raises JailError where libseccomp is not to be had.

    With `gpu` devices may be told anything that their drivers understand: which devices there are is for Landlock and the
    namespaces to say.
    """
    try:
        import pyseccomp as seccomp
    except (ImportError, RuntimeError, OSError) as error:
        raise JailError(0, f"libseccomp or pyseccomp is not installed ({error})") from None
    rules = seccomp.SyscallFilter(defaction=seccomp.ERRNO(1))
    for name in _ALLOWED:
        _add(rules, seccomp.ALLOW, name)
    _add(rules, seccomp.ALLOW, "clone", seccomp.Arg(0, seccomp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD))
    for kind, mask in _MAPPINGS + (_SHARED_WITH_GPU if gpu else ()):
        _add(rules, seccomp.ALLOW, "mmap", seccomp.Arg(3, seccomp.MASKED_EQ, mask, kind))
    # Only reading one's own limits: a limit set to zero would look like a kill from outside.
    _add(rules, seccomp.ALLOW, "prlimit64", seccomp.Arg(0, seccomp.EQ, 0), seccomp.Arg(2, seccomp.EQ, 0))
    for call, position, values in (
        ("ioctl", 1, _TERMINAL_QUERIES),
        ("fcntl", 1, _FCNTL_COMMANDS),
        ("prctl", 0, _PRCTL_OPTIONS),
    ):
        for value in values:
            _add(rules, seccomp.ALLOW, call, seccomp.Arg(position, seccomp.EQ, value))
    for name in _BESIDE_GPU if gpu else ():
        _add(rules, seccomp.ALLOW, name)
    if gpu:
        _add(rules, seccomp.ALLOW, "socket", seccomp.Arg(0, seccomp.EQ, _AF_UNIX))
    for name in _NO_SUCH_CALL:
        _add(rules, seccomp.ERRNO(38), name)
    with tempfile.TemporaryFile() as file:
        rules.export_bpf(file)
        file.seek(0)
        return file.read()


def _add(rules: object, action: object, name: str, *arguments: object) -> None:
    """Add a rule for a call this machine's architecture has; others need none."""
    try:
        rules.add_rule(action, name, *arguments)  # type: ignore[attr-defined]
    except (ValueError, OSError):
        return


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def load_filter(program: bytes) -> None:
    """Filter this process's system calls, for good."""
    packed = _Program(len(program) // 8, program)
    _checked(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(packed), 0, 0))
