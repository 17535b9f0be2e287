"""The scheduler of trainings on GPUs, in pretended time: never over memory, none waits for ever, longest first, none is lost."""

from __future__ import annotations

import heapq
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from autograder.oracle.gpus import UNTRAINED, Gpus, NoDeviceError, Place
from autograder.oracle.nvidia_smi import gpu_of, read_gpus
from autograder.oracle.packing import RESERVE, SPARE, Device, Load, Need, Run, next_start
from autograder.sandbox.endings import STOPPED, TOOK_GPU_MEMORY
from autograder.sandbox.job import Ending, Outcome, Trouble


@dataclass(frozen=True)
class Work:
    """A training of a class: its kind fills so much memory, and it takes so long."""

    kind: str
    memory_mb: float
    seconds: float


kinds = st.sampled_from(
    [("small", 50.0, 10.0), ("middle", 300.0, 100.0), ("large", 900.0, 30.0), ("huge", 5000.0, 5.0)]
)
works = st.lists(st.builds(lambda kind, more: Work(*kind[:2], kind[2] * more), kinds, st.floats(0.5, 2)), max_size=25)
machines = st.lists(st.sampled_from([1000.0, 1500.0, None]), min_size=1, max_size=3)


def simulate(todo: Sequence[Work], memories: Sequence[float | None], each: int) -> list[tuple[int, Device, bool]]:
    """Run a class in pretended time and return who started where, and whether alone; check memory at every start."""
    devices = tuple(Device(f"cuda:{number}", memory) for number, memory in enumerate(memories))
    waiting = tuple(Run(number, work.kind, work.seconds) for number, work in enumerate(todo))
    load, now, started = Load(devices, each, waiting=waiting), 0.0, list[tuple[int, Device, bool]]()
    ends: list[tuple[float, int, Device]] = []
    while load.waiting or ends:
        while found := next_start(load):
            run, device = found
            rest = tuple(other for other in load.waiting if other.number != run.number)
            load = replace(load, waiting=rest, running={**load.running, device.name: (*load.on(device), run)})
            started.append((run.number, device, run.alone))
            heapq.heappush(ends, (now + todo[run.number].seconds, run.number, device))
            here = load.on(device)
            filled = sum(todo[one.number].memory_mb for one in here)
            assert len(here) == 1 or device.memory_mb is not None
            assert len(here) == 1 or filled * SPARE <= (device.memory_mb or 0) * (1 - RESERVE)
            assert len(here) <= each
            assert len(here) == 1 or not any(one.alone for one in here)
        assert ends, "some wait, and nothing runs"
        now, number, device = heapq.heappop(ends)
        here = tuple(run for run in load.on(device) if run.number != number)
        needs = dict(load.needs)
        if device.memory_mb is not None:
            needs[todo[number].kind] = Need(todo[number].memory_mb, 1.0)
        load = replace(load, running={**load.running, device.name: here}, needs=needs)
    return started


@given(works, machines, st.integers(1, 8))
def test_every_training_starts_once_and_none_beyond_memory(
    todo: list[Work], memories: list[float | None], each: int
) -> None:
    """However large, on whatever devices: what fits on none beside others gets one for itself."""
    assert sorted(number for number, _, _ in simulate(todo, memories, each)) == list(range(len(todo)))


@given(works, st.integers(1, 8))
def test_on_one_device_the_longest_start_first(todo: list[Work], each: int) -> None:
    """Nothing that is shorter comes before it, whatever room there is for that."""
    started = [todo[number].seconds for number, _, _ in simulate(todo, [1000.0], each)]
    assert started == sorted(started, reverse=True)


@given(works, machines)
def test_one_of_a_kind_is_measured_before_two_run_beside_each_other(
    todo: list[Work], memories: list[float | None]
) -> None:
    """The first of a kind has its device for itself."""
    seen = set[str]()
    for number, _, alone in simulate(todo, memories, 8):
        assert alone or todo[number].kind in seen
        seen.add(todo[number].kind)


def test_one_that_fits_nowhere_is_not_overtaken_for_ever() -> None:
    """It keeps the device that is nearest to being free; shorter ones go on beside that on the others."""
    devices = (Device("cuda:0", 1000), Device("cuda:1", 1000))
    needs = {"large": Need(700, 1), "small": Need(100, 1)}
    small = [Run(number, "small", 1) for number in range(9)]
    running = {"cuda:0": tuple(small[:1]), "cuda:1": tuple(small[1:3])}
    load = Load(devices, 8, needs, running, (small[3], Run(99, "large", 50)))
    found = next_start(load)
    assert found
    assert (found[0].number, found[1].name) == (3, "cuda:1")
    found = next_start(replace(load, running={"cuda:1": tuple(small[1:3])}))
    assert found
    assert (found[0].number, found[1].name) == (99, "cuda:0")


def test_measured_times_count_before_declared_ones() -> None:
    """A limit is what is allowed; what took a tenth of it goes after what took half of less."""
    needs = {"quick": Need(10, 0.1), "slow": Need(10, 0.5)}
    found = next_start(Load((Device("cuda:0", 100),), 4, needs, {}, (Run(0, "quick", 100), Run(1, "slow", 30))))
    assert found
    assert found[0].kind == "slow"


class Card:
    """A device whose memory is a number: trainings fill it while they run, and it may be lost."""

    def __init__(self, memory_mb: float) -> None:
        self.memory_mb, self.used, self.most, self.gone = memory_mb, 0.0, 0.0, False
        self.lock, self.seen = threading.Lock(), threading.Event()


class Cards:
    """Injected devices, and how full they are."""

    def __init__(self, *memories: float) -> None:
        self.cards = {f"cuda:{number}": Card(memory) for number, memory in enumerate(memories)}

    @property
    def devices(self) -> list[Device]:
        """Return them as they are when a run begins."""
        return [Device(name, card.memory_mb) for name, card in self.cards.items()]

    def used_mb(self, device: str) -> float:
        """Return how full one is."""
        card = self.cards[device]
        with card.lock:
            if card.used:
                card.seen.set()
            return card.used

    def trouble(self, device: str) -> str:
        """Return why one does not compute."""
        return "it fell off the bus" if self.cards[device].gone else ""

    def train(self, place: Place, memory_mb: float, breaks: bool = False) -> Outcome:
        """Fill a device's memory for a moment; what is lost or full refuses."""
        card = self.cards[place.device]
        with card.lock:
            card.used += memory_mb
            card.most = max(card.most, card.used)
            full = card.used > card.memory_mb
            card.seen.clear()
        card.seen.wait(5 if place.share == 1 else 0.002)  # what is alone is looked at
        card.gone = card.gone or breaks
        with card.lock:
            card.used -= memory_mb
        text = "CUDA error: unspecified launch failure" if card.gone else "CUDA out of memory" if full else ""
        return (
            Outcome(Ending.RAISED, trouble=Trouble("RuntimeError", text))
            if text
            else Outcome(Ending.RETURNED, place.device)
        )


def all_of(gpus: Gpus, cards: Cards, sizes: Sequence[float], breaking: Sequence[int] = ()) -> list[object]:
    """Train some at the same time, a thread for each, and return what each came to."""
    found: list[object] = [None] * len(sizes)

    def one(number: int) -> None:
        try:
            found[number] = gpus.run(
                "kind", 1.0, lambda place: cards.train(place, sizes[number], number in breaking), cards.trouble
            ).ending
        except NoDeviceError as error:
            found[number] = str(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(len(sizes))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    return found


@given(st.lists(st.floats(10, 120), min_size=1, max_size=12), st.integers(0, 12), st.integers(1, 3), st.booleans())
def test_a_lost_device_loses_no_training(sizes: list[float], breaking: int, count: int, breaks: bool) -> None:
    """All others end as they would have; one that breaks devices takes two, and then is told why it has no result."""
    cards, told = Cards(*[1000.0] * (count + 2)), list[str]()
    gpus = Gpus(cards.devices, cards, 8, told.append, look_seconds=0.001)
    culprits = [breaking] if breaks and breaking < len(sizes) else []
    found = all_of(gpus, cards, sizes, culprits)
    assert [found[number] for number in range(len(sizes)) if number not in culprits] == [Ending.RETURNED] * (
        len(sizes) - len(culprits)
    )
    gone = sum(card.gone for card in cards.cards.values())
    assert gone == len(told) == 2 * len(culprits)
    assert all("2 GPUs were lost while it was trained" in str(found[number]) for number in culprits)


def test_where_no_device_is_left_each_is_told() -> None:
    """Those that wait, too."""
    cards, told = Cards(1000.0), list[str]()
    found = all_of(
        Gpus(cards.devices, cards, 4, told.append, look_seconds=0.001), cards, [100.0] * 6, breaking=range(6)
    )
    assert set(found) == {"every GPU is lost: cuda:0 (it fell off the bus)"}
    assert told == [f"cuda:0 is lost (it fell off the bus). {UNTRAINED}"]


@pytest.mark.parametrize(
    ("first", "attempts"),
    [
        (Outcome(Ending.MEMORY, trouble=Trouble("OutOfMemoryError", "CUDA out of memory.")), 2),
        (Outcome(Ending.RAISED, trouble=Trouble("RuntimeError", "CUDA error: CUBLAS_STATUS_ALLOC_FAILED")), 2),
        (Outcome(Ending.TIMEOUT, trouble=Trouble("", "")), 2),
        (Outcome(Ending.DIED, trouble=Trouble("", "signal SIGSEGV")), 2),
        (Outcome(Ending.TIMEOUT, trouble=Trouble("", STOPPED)), 1),
        (Outcome(Ending.RAISED, trouble=Trouble("ValueError", "no such row")), 1),
        (Outcome(Ending.MEMORY), 1),
        (Outcome(Ending.MEMORY, trouble=Trouble("", TOOK_GPU_MEMORY.format(5000, 4096))), 1),
        (Outcome(Ending.MEMORY, trouble=Trouble("MemoryError", "Unable to allocate 4.00 GiB")), 1),
    ],
)
def test_what_neighbours_may_have_done_is_tried_alone(first: Outcome, attempts: int) -> None:
    """A device that is divided has wider limits; alone there is one standard for all."""
    cards = Cards(1000.0)
    gpus = Gpus(cards.devices, cards, 4, look_seconds=0.001)
    all_of(gpus, cards, [100.0])
    shares = list[int]()

    def attempt(place: Place) -> Outcome:
        shares.append(place.share)
        return first

    assert gpus.run("kind", 1.0, attempt, cards.trouble) is first
    assert shares == [4, 1][:attempts]


def test_one_that_fills_much_does_not_keep_the_class_from_sharing() -> None:
    """It runs alone after it ran out beside others; what that teaches of its kind is bounded."""
    cards = Cards(1000.0)
    gpus = Gpus(cards.devices, cards, 8, look_seconds=0.001)
    assert all_of(gpus, cards, [100.0]) == [Ending.RETURNED]
    full = [Outcome(Ending.MEMORY, trouble=Trouble("OutOfMemoryError", "CUDA out of memory."))]
    gpus.run("kind", 1.0, lambda place: full.pop() if full else cards.train(place, 900.0), cards.trouble)
    shares = list[int]()
    gpus.run("kind", 1.0, lambda place: shares.append(place.share) or Outcome(Ending.RETURNED), cards.trouble)  # type: ignore[func-returns-value]
    assert shares == [3]


def test_what_the_driver_tells_is_read() -> None:
    """Of a whole machine; parts of a GPU, whose memory it does not tell, and what is not a GPU are left out."""
    text = (
        "0, GPU-5fd4f0b1-8c2a-11ee-b962-0242ac120002, NVIDIA A100-SXM4-40GB, 40960, 3\n"
        "1, GPU-77aa0000-0000-0000-0000-000000000000, NVIDIA GB10, [N/A], [N/A]\n"
        "2, GPU-89ab0000-0000-0000-0000-000000000000, NVIDIA A100-SXM4-40GB, 40960, 12045\n"
        "Unable to determine the device handle for GPU0000:3B:00.0: GPU is lost.\n"
    )
    gpus = tuple(read_gpus(text))
    assert [(gpu.index, gpu.kind, gpu.total_mb, gpu.used_mb) for gpu in gpus] == [
        (0, "NVIDIA A100-SXM4-40GB", 40960, 3),
        (2, "NVIDIA A100-SXM4-40GB", 40960, 12045),
    ]
    places = {
        device: gpu_of(gpus, device, visible)
        for device, visible in (("cuda", None), ("cuda:1", "0,2"), ("cuda:2", "GPU-89ab"))
    }
    assert places == {"cuda": gpus[0], "cuda:1": gpus[1], "cuda:2": None}
    assert gpu_of(gpus, "cuda:0", "GPU-89ab") == gpus[1]
    assert gpu_of(gpus, "cuda", "MIG-1234") is None
