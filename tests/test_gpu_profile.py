"""The sandbox's way to a GPU: what it shows of a machine, what holds around it, and hogs, hung kernels and lost devices."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest
import torch
from test_device import edit, elsewhere, graded, result_of

from autograder.course.spec import Limits
from autograder.oracle import device_choice as choice
from autograder.sandbox import gpu_watch, levels, slot
from autograder.sandbox.child import zygote
from autograder.sandbox.gpu_files import GpuFiles, Listing, find_gpu, list_machine
from autograder.sandbox.gpu_watch import HELD_ON, OpenSandbox, nvidia_meter
from autograder.sandbox.job import Chunk, Ending, Job, Outcome, Request, Source
from autograder.sandbox.slot import Profile

assert elsewhere  # a fixture

# What `ldconfig -p` prints beside driver 550 on Ubuntu 22.04, shortened, with an old program's 32-bit libraries.
UBUNTU = """1234 libs found in cache `/etc/ld.so.cache'
\tlibz.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libz.so.1
\tlibnvidia-ptxjitcompiler.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libnvidia-ptxjitcompiler.so.1
\tlibnvidia-ml.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libnvidia-ml.so.1
\tlibnvidia-ml.so.1 (libc6) => /lib/i386-linux-gnu/libnvidia-ml.so.1
\tlibnvidia-glcore.so.550.54.15 (libc6,x86-64) => /lib/x86_64-linux-gnu/libnvidia-glcore.so.550.54.15
\tlibnvidia-gpucomp.so.550.54.15 (libc6,x86-64) => /lib/x86_64-linux-gnu/libnvidia-gpucomp.so.550.54.15
\tlibcudart.so.12 (libc6,x86-64) => /usr/local/cuda/lib64/libcudart.so.12
\tlibcuda.so.1 (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so.1
\tlibcuda.so (libc6,x86-64) => /lib/x86_64-linux-gnu/libcuda.so
"""
# A container that NVIDIA's toolkit prepared on an Arm server, with a folder of its own for the libraries.
CONTAINER = """\tlibcuda.so.1 (libc6,AArch64) => /usr/local/nvidia/lib64/libcuda.so.1
\tlibcudadebugger.so.1 (libc6,AArch64) => /usr/local/nvidia/lib64/libcudadebugger.so.1
"""
DESKTOP = ("/dev/nvidia-modeset", "/dev/nvidia-uvm", "/dev/nvidia-uvm-tools", "/dev/nvidia0", "/dev/nvidiactl")
CAPS = ("/dev/nvidia-caps", "/dev/nvidia-caps/nvidia-cap1", "/dev/nvidia-caps/nvidia-cap2")


def proc(*addresses: str) -> tuple[str, ...]:
    """Return what /proc lists of a driver with GPUs at these addresses."""
    driver = ("/proc/driver/nvidia/gpus", "/proc/driver/nvidia/params", "/proc/driver/nvidia/version")
    return (*driver, *(f"/proc/driver/nvidia/gpus/{address}" for address in addresses))


@pytest.mark.parametrize(
    ("listing", "devices", "shown"),
    [
        pytest.param(
            Listing((*DESKTOP, *CAPS), UBUNTU, proc("0000:01:00.0")),
            ("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"),
            (
                *("/lib/x86_64-linux-gnu/libcuda.so.1", "/lib/x86_64-linux-gnu/libnvidia-gpucomp.so.550.54.15"),
                *("/proc/driver/nvidia", "/sys/bus/pci/devices/0000:01:00.0"),
            ),
            id="one",
        ),
        pytest.param(
            Listing((*DESKTOP, "/dev/nvidia1", "/dev/nvidia10"), UBUNTU, proc("0000:3b:00.0", "0000:d8:00.0")),
            ("/dev/nvidia0", "/dev/nvidia1", "/dev/nvidia10", "/dev/nvidiactl", "/dev/nvidia-uvm"),
            ("/sys/bus/pci/devices/0000:3b:00.0", "/sys/bus/pci/devices/0000:d8:00.0"),
            id="several",
        ),
        pytest.param(
            Listing(("/dev/nvidia-uvm", "/dev/nvidia3", "/dev/nvidiactl"), CONTAINER, proc("0000:d8:00.0")),
            ("/dev/nvidia3", "/dev/nvidiactl", "/dev/nvidia-uvm"),
            ("/usr/local/nvidia/lib64/libcuda.so.1",),
            id="container without nvidia-uvm-tools",
        ),
        pytest.param(
            Listing((*DESKTOP, *CAPS, "/dev/nvidia-caps/nvidia-cap12", "/dev/nvidia-caps/nvidia-cap21"), UBUNTU, ()),
            (
                *("/dev/nvidia0", "/dev/nvidiactl", "/dev/nvidia-uvm"),
                *("/dev/nvidia-caps/nvidia-cap12", "/dev/nvidia-caps/nvidia-cap21"),
            ),
            ("/sys/devices/system/node",),
            id="divided",
        ),
    ],
)
def test_a_listing_says_what_a_sandbox_shows(
    listing: Listing, devices: tuple[str, ...], shown: tuple[str, ...]
) -> None:
    """The nodes that compute, the driver's libraries for them, and what these read; nothing for screens, 32 bits or tools."""
    found = find_gpu(listing)
    assert (found.devices, found.lacks) == (devices, "")
    assert set(shown) <= set(found.readable)
    assert not [
        path for path in found.readable if any(part in path for part in ("glcore", "i386", "cudart", "debugger"))
    ]


@pytest.mark.parametrize(
    ("nodes", "lacks"),
    [
        ((), "has no /dev/nvidia0"),
        (("/dev/nvidiactl", "/dev/nvidia-uvm", *CAPS), "has no /dev/nvidia0"),
        (("/dev/nvidia0", "/dev/nvidiactl"), "without /dev/nvidia-uvm; nvidia-modprobe"),
    ],
)
def test_a_listing_without_a_gpu_leads_nowhere(nodes: tuple[str, ...], lacks: str) -> None:
    """Nothing is shown at all, and what is missing is said."""
    found = find_gpu(Listing(nodes, UBUNTU, ()))
    assert (found.devices, found.readable) == ((), ())
    assert lacks in found.lacks


def test_a_machine_is_listed(tmp_path: Path) -> None:
    """By the names in its folders, as they are."""
    for path in (*DESKTOP, CAPS[1], "/proc/driver/nvidia/version", "/proc/driver/nvidia/gpus/0000:01:00.0/information"):
        (tmp_path / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path[1:]).touch()
    found = list_machine(tmp_path)
    assert set(found.nodes) == {*DESKTOP, *CAPS[:2]}
    assert found.driver == (
        *("/proc/driver/nvidia/gpus", "/proc/driver/nvidia/version"),
        "/proc/driver/nvidia/gpus/0000:01:00.0",
    )


# A stand-in for a GPU: /dev/full, which no other profile shows.

SEEN = """
    if os.environ.get("CUBLAS_WORKSPACE_CONFIG"):
        import fcntl

        node = os.open("/dev/full", os.O_RDWR)
        try:
            fcntl.ioctl(node, 0x4642, b"x" * 64)
        except OSError as error:
            assert error.errno != 1, "the filter refuses what a driver is told"
        for hidden in ("/dev/zero", "/dev/tty", "/proc", "/proc/1/maps", "/proc/1/status"):
            assert not os.access(hidden, os.R_OK) or refused(hidden), hidden
        as_a_driver_does()
        assert os.environ["CUDA_VISIBLE_DEVICES"], "no GPU is visible"
"""
REFUSED = """

def refused(path):
    try:
        os.open(path, os.O_RDONLY)
    except OSError:
        return True
    return False


def as_a_driver_does():
    # What version 580 of NVIDIA's was seen to do as CUDA starts, and what is not for it to do.
    import mmap, os, socket, threading

    assert open("/proc/self/maps").read()
    with open(f"/proc/self/task/{threading.get_native_id()}/comm", "w") as name:
        name.write("cuda00001400006")
    mmap.mmap(-1, 2 << 20).close()
    waits = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    waits.bind("\\0cuda-uvmfd-4026531836-1")
    waits.listen(128)
    for family, address in ((socket.AF_UNIX, "\\0cuda-uvmfd-4026531836-1"), (socket.AF_INET, ("127.0.0.1", 1))):
        try:
            socket.socket(family, socket.SOCK_STREAM).connect(address)
        except PermissionError:
            continue
        raise AssertionError(f"{address} can be reached")
"""


@pytest.fixture
def stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let this machine have a device."""
    monkeypatch.setattr(levels, "gpu_files", lambda: GpuFiles(("/dev/full",)))


def test_a_class_on_a_gpu_is_locked_down(elsewhere: Path, stand_in: None) -> None:
    """It has a level of its own, which says what remains; the device's node can be opened and told things, no other can."""
    harness = elsewhere / "assignments" / "t3_learning" / "training.py"
    edit(harness, "    import torch\n\n    losses", f"    import torch\n{SEEN}\n    losses")
    harness.write_text(harness.read_text(encoding="utf-8") + REFUSED, encoding="utf-8")
    done = graded(elsewhere, "--device", "cuda")
    assert done.exit_code == 0, done.output
    found = result_of(elsewhere, "ada")
    assert (found["exercises"][-1]["score"], found["exercises"][-1]["device"]) == (3, "cuda"), found
    isolation = found["isolation"]
    assert isolation["level"] == levels.open_sandbox(1).isolation.level + "G"
    assert "seccomp" in isolation["mechanisms"]
    assert any("ioctl" in risk for risk in isolation["residual_risks"])
    report = (elsewhere.parent / "out" / "report.html").read_text(encoding="utf-8")
    assert f"{isolation['level']}:" in " ".join(done.output.split())
    assert "every command (ioctl) that there is" in report


TRIED: list[bool] = []
ANSWERS = 3  # while sandboxes are opened
RAISING = """    import sys
    if sys._getframe(1).f_code.co_name == "fit":
        raise RuntimeError("CUDA error: unspecified launch failure")
    return x @ w
"""


def test_a_lost_device_costs_no_student(elsewhere: Path, stand_in: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs on it when it is lost, and later, is our fault; the cases go on, it is said, and the next run trains all."""
    TRIED.clear()
    edit(elsewhere.parent / "class" / "ada.py", "    return x @ w\n", RAISING)
    real = choice.device_trouble

    def trouble(*words: Any) -> str:
        TRIED.append(True)
        return "CUDA error: the GPU has fallen off the bus" if len(TRIED) > ANSWERS else real(*words)

    monkeypatch.setattr(choice, "device_trouble", trouble)
    done = graded(elsewhere, "--device", "cuda", "--jobs", "1")
    assert done.exit_code == 1, done.output
    assert "cuda is lost (CUDA error: the GPU has fallen off the bus)" in done.stderr
    for student in ("ada", "bob"):
        *cases, trained = result_of(elsewhere, student)["exercises"]
        assert all(entry["status"] == "PASSED" for entry in cases)
        if student == "bob" and trained["status"] == "PASSED":
            continue  # it was trained before
        assert trained["status"] == "GRADER_ERROR"
        assert "fallen off the bus" in trained["cases"][0]["message"]
    monkeypatch.setattr(choice, "device_trouble", real)
    graded(elsewhere, "--device", "cuda")
    assert result_of(elsewhere, "ada")["exercises"][-1]["status"] == "CRASHED"
    assert result_of(elsewhere, "bob")["exercises"][-1]["status"] == "PASSED"


@pytest.fixture
def opened(stand_in: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., OpenSandbox]]:
    """Return how to open a sandbox around the stand-in, with what tells of its memory and is tried on a hog at once."""
    sandboxes: list[OpenSandbox] = []

    def open_one(meter: Callable[[], Mapping[int, int]] | None = None, trouble: str = "") -> OpenSandbox:
        def trial(_: str, sandbox: Any) -> str:
            if meter:
                outcome(sandbox, HOG.format(2 * gpu_watch.LOOK_SECONDS), device_mb=6000)
            return trouble

        monkeypatch.setattr(levels, "nvidia_meter", lambda: (meter, "" if meter else "is not installed"))
        sandboxes.append(levels.open_on_device("cuda", trial, 2, torch=False))
        return sandboxes[-1]

    yield open_one
    for sandbox in sandboxes:
        sandbox.close()


def outcome(sandbox: OpenSandbox, body: str, **words: Any) -> Outcome:
    """Return what a function with this body comes to on the device."""
    source = Source("code", (Chunk("code.py", f"import os, resource, time\n\n\ndef f():\n    {body}\n"),))
    limits = Limits(case_seconds=words.pop("seconds", 20.0), memory_mb=512)
    request = Request("f", (), {}, None, group="f", family="f")
    job = Job(source, (request,), limits, device=words.pop("device", "cuda"), device_mb=4096)
    ran = sandbox.run(replace(job, **words))
    assert ran.loading.ending is Ending.RETURNED, ran.loading
    return ran.outcomes[0]


HOG = "__import__('ctypes').CDLL(None).prctl(15, b'hog'); time.sleep({0})"


def hogs_have(mb: int) -> Callable[[], Mapping[int, int]]:
    """Return a meter by which every process that calls itself a hog has so much."""

    def is_hog(process: Path) -> bool:
        try:
            return (process / "comm").read_text() == "hog\n"
        except OSError:
            return False

    return lambda: {int(process.name): mb << 20 for process in Path("/proc").glob("[0-9]*") if is_hog(process)}


def test_a_hog_of_gpu_memory_is_killed_and_told(
    opened: Callable[..., OpenSandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once, since nobody else has taken it; one that takes what it may goes on, and so does what is not on the device."""
    begun: list[int] = []
    sandbox = opened(hogs_have(5000))
    monkeypatch.setattr(sandbox, "trial", lambda *_: "")  # the one after a hog is no other try of it
    monkeypatch.setattr(gpu_watch.GpuWatch, "add", counted(gpu_watch.GpuWatch.add, begun))
    hog = outcome(sandbox, HOG.format(15))
    assert (hog.ending, len(begun)) == (Ending.MEMORY, 1)
    assert hog.trouble is not None
    assert hog.trouble.text == "it took 5000 MB of the GPU; 4096 MB are allowed"
    assert outcome(sandbox, HOG.format(1), device_mb=6000).ending is Ending.RETURNED
    assert outcome(sandbox, HOG.format(1), device="cpu").ending is Ending.RETURNED
    assert any("0.25 s" in risk for risk in sandbox.isolation.residual_risks)


@pytest.mark.parametrize("trouble", ["", "CUDA error: OS call failed"])
def test_a_meter_that_tells_of_no_child_is_not_believed(opened: Callable[..., OpenSandbox], trouble: str) -> None:
    """In a container the driver may know processes by other numbers: a hog would not be seen, and reports say so."""
    sandbox = opened(lambda: {1 << 30: 5000 << 20}, trouble)
    unseen, seen = "tells nothing of a process that computed here", "GPU's memory for 0.25 s"
    assert [any(words in risk for risk in sandbox.isolation.residual_risks) for words in (unseen, seen)] == [
        True,
        False,
    ]


def counted(function: Callable[..., None], calls: list[int]) -> Callable[..., None]:
    """Return a function that also counts its calls."""

    def counting(*words: Any) -> None:
        calls.append(1)
        function(*words)

    return counting


def test_a_level_that_does_not_start_is_passed_over(stand_in: None) -> None:
    """A preloader may start without torch and not with it: what it said is among the reasons for the level that is left."""

    def trial(_: str, sandbox: Any) -> str:
        raise slot.SlotError("the zygote did not start: it said nothing")

    with levels.open_on_device("cuda", trial, 1, torch=False) as sandbox:
        assert sandbox.isolation.level == "C"
        assert any("the zygote did not start" in reason for reason in sandbox.isolation.missing)


def test_what_torch_cannot_have_of_a_gpu_is_memory(opened: Callable[..., OpenSandbox]) -> None:
    """Not a crash: torch's own exception has this name."""
    body = "raise type('OutOfMemoryError', (RuntimeError,), {})('CUDA out of memory')"
    assert outcome(opened(), body).ending is Ending.MEMORY


def test_host_memory_is_bounded_and_address_space_is_not(opened: Callable[..., OpenSandbox]) -> None:
    """A driver reserves hundreds of GB that nobody writes to."""
    sandbox = opened()
    bounds = outcome(
        sandbox, "return [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]"
    )
    address_space, data = bounds.value
    assert address_space == -1
    assert 0 < data < 8 << 30
    assert outcome(sandbox, "return len(bytearray(4 << 30))").ending is Ending.MEMORY
    assert any("is not installed" in risk for risk in sandbox.isolation.residual_risks)


def test_memory_that_no_limit_sees_is_watched(opened: Callable[..., OpenSandbox]) -> None:
    """A driver shares some with a device; who takes more of it than a training may use is ended."""
    body = "import mmap; shared = mmap.mmap(-1, {0} << 20); shared.write(bytes({0} << 20)); time.sleep({1}); return 1"
    sandbox = opened()
    assert outcome(sandbox, body.format(100, 1)).value == 1
    hog = outcome(sandbox, body.format(1000, 15))
    assert hog.ending is Ending.MEMORY
    assert hog.trouble is not None
    assert hog.trouble.text.endswith("MB of memory in shared mappings; 512 MB are allowed")


def test_a_build_for_gpus_counts_none_before_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step backward would: CUDA, once started without a GPU in sight, leaves a thread, and shows a child none either."""
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.Tensor, "backward", lambda _: pytest.fail("it went backward"))
    zygote._preload(torch=True)


def test_a_kernel_that_hangs_is_a_timeout(opened: Callable[..., OpenSandbox]) -> None:
    """As long as the process ends when it is killed and the device answers, it is the student's doing alone."""
    sandbox = opened()
    assert outcome(sandbox, "time.sleep(60)", seconds=1.0).ending is Ending.TIMEOUT
    assert outcome(sandbox, "return 1").value == 1


def test_a_process_that_cannot_be_killed_loses_the_device(
    opened: Callable[..., OpenSandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The grader waits for it no longer than agreed; the device is lost for the run, and the rest goes on without."""
    monkeypatch.setattr(slot, "END_SECONDS", 1.0)
    monkeypatch.setattr(slot, "LET_GO_SECONDS", 0.5)
    sandbox = opened()
    with monkeypatch.context() as stuck:
        stuck.setattr(slot.WarmChild, "kill", lambda _: None)
        hung = outcome(sandbox, "time.sleep(60)", seconds=1.0)
    later = outcome(sandbox, "return 1")
    for fault in (hung, later):
        assert fault.ending is Ending.FAULT
        assert fault.trouble is not None
        assert HELD_ON in fault.trouble.text
    assert outcome(sandbox, "return 1", device="cpu").value == 1


def test_a_full_gpu_is_not_lost(opened: Callable[..., OpenSandbox], monkeypatch: pytest.MonkeyPatch) -> None:
    """That another has filled it says nothing of whether it answers."""
    sandbox = opened()
    monkeypatch.setattr(sandbox, "trial", lambda *_: "CUDA out of memory")
    assert outcome(sandbox, "raise ValueError").ending is Ending.RAISED
    assert outcome(sandbox, "return 1").value == 1


def test_what_holds_nowhere_is_left_to_the_plain_process(opened: Callable[..., OpenSandbox]) -> None:
    """Where code computes on the device in no locked-down profile, each is named with the reason."""
    sandbox = opened(trouble="CUDA error: OS call failed")
    assert sandbox.isolation.level == "C"
    tried = [reason for reason in sandbox.isolation.missing if "OS call failed" in reason]
    assert len(tried) >= 2
    assert tried[0].startswith(levels.open_sandbox(1).isolation.level + "G: ")


def test_driver_files_are_shown_wherever_they_lie(
    tmp_path: Path, opened: Callable[..., OpenSandbox], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library by its short name, a file among hidden settings; what lies beside them is not there."""
    (tmp_path / "libcuda.so.550").write_text("driver")
    (tmp_path / "libcuda.so.1").symlink_to("libcuda.so.550")
    (tmp_path / "answers").write_text("secret")
    shown = (str(tmp_path / "libcuda.so.1"), "/proc/sys/kernel/ostype", "/usr/lib/os-release")
    monkeypatch.setattr(levels, "gpu_files", lambda: GpuFiles(("/dev/full",), shown))
    sandbox = opened()
    body = f"return [open(path).read()[:6] for path in {shown[:2]}]"
    assert outcome(sandbox, body).value == ["driver", "Linux\n"]
    for hidden in (tmp_path / "answers", "/proc/sys/kernel/hostname"):
        assert outcome(sandbox, f"return open({str(hidden)!r}).read()").ending is Ending.RAISED


def test_a_preloader_sees_no_gpu() -> None:
    """One that had started CUDA could fork no child that uses it."""
    assert Profile(gpu=GpuFiles(("/dev/full",))).environment["CUDA_VISIBLE_DEVICES"] == ""


def test_what_nvidia_tells_of_processes_is_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may hold memory on two cards; one card that does not answer takes nothing from what the other tells."""

    class NVMLError(Exception):
        pass

    def processes(card: int) -> list[SimpleNamespace]:
        if card == 2:
            raise NVMLError("lost")
        return [SimpleNamespace(pid=7, usedGpuMemory=100), SimpleNamespace(pid=8 + card, usedGpuMemory=None)]

    library = SimpleNamespace(
        NVMLError=NVMLError,
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: 3,
        nvmlDeviceGetHandleByIndex=lambda number: number,
        nvmlDeviceGetComputeRunningProcesses=processes,
    )
    monkeypatch.setitem(sys.modules, "pynvml", cast("ModuleType", library))
    meter, why = nvidia_meter()
    assert meter
    assert (meter(), why) == ({7: 200, 8: 0, 9: 0}, "")

    def no_driver() -> None:
        raise NVMLError("Driver Not Loaded")

    library.nvmlInit = no_driver
    assert nvidia_meter() == (None, "does not work here (Driver Not Loaded)")
