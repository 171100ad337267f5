"""An operating system's scheduler, whose tasks send packets to each other."""

from __future__ import annotations

from awfy.awfy.python.benchmark import Benchmark
from awfy.awfy.python.counts import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

IDLER = 0
WORKER = 1
HANDLER_A = 2
HANDLER_B = 3
DEVICE_A = 4
DEVICE_B = 5
TASKS = 6
PACKET_DATA = 4
LETTERS = 26

# What a packet asks for.
DEVICE_KIND = 0
WORK_KIND = 1


class Packet:
    __slots__ = ("next", "identity", "kind", "datum", "data")

    def __init__(self, successor: Packet | None, identity: int, kind: int) -> None:
        self.next = successor
        self.identity = identity
        self.kind = kind
        self.datum = 0
        self.data = [0] * PACKET_DATA

    def appended_to(self, queue: Packet | None) -> Packet:
        """The queue with this packet as its last."""
        self.next = None
        if queue is None:
            return self
        last = queue
        while last.next is not None:
            last = last.next
        last.next = self
        return queue


class State:
    """Whether a task has packets, waits, or is held."""

    __slots__ = ("packet_pending", "waiting", "held")

    def __init__(self, packet_pending: bool, waiting: bool) -> None:
        self.packet_pending = packet_pending
        self.waiting = waiting
        self.held = False

    def become_running(self, pending: bool) -> None:
        self.packet_pending = pending
        self.waiting = False
        self.held = False

    def is_held_or_waiting(self) -> bool:
        return self.held or (not self.packet_pending and self.waiting)

    def is_waiting_with_packet(self) -> bool:
        return self.packet_pending and self.waiting and not self.held


class Task(State):
    """A task. `work` does what the task does with a packet or None, and returns the task that is
    next."""

    __slots__ = ("next", "identity", "priority", "input", "work")

    def __init__(
        self,
        successor: Task | None,
        identity: int,
        priority: int,
        packets: Packet | None,
        state: State,
        work: Callable[[Packet | None], Task | None],
    ) -> None:
        super().__init__(state.packet_pending, state.waiting)
        self.next = successor
        self.identity = identity
        self.priority = priority
        self.input: Packet | Any = packets  # None if there is no packet
        self.work = work

    def accept(self, packet: Packet, other: Task) -> Task:
        """Add a packet to this task's queue. Returns the task that runs next: this or the other."""
        if self.input is not None:
            self.input = packet.appended_to(self.input)
            return other
        self.input = packet
        self.packet_pending = True
        return self if self.priority > other.priority else other

    def run(self) -> Task | None:
        message = None
        if self.is_waiting_with_packet():
            message = self.input
            self.input = message.next
            self.become_running(self.input is not None)
        return self.work(message)


class Idle:
    __slots__ = ("control", "count")

    def __init__(self) -> None:
        self.control = 1
        self.count = 10000


class Working:
    __slots__ = ("destination", "count")

    def __init__(self) -> None:
        self.destination = HANDLER_A
        self.count = 0


class Handling:
    __slots__ = ("work", "device")

    def __init__(self) -> None:
        self.work: Packet | None = None
        self.device: Packet | None = None


class Pending:
    __slots__ = ("packet",)

    def __init__(self) -> None:
        self.packet: Packet | None = None


class Scheduler:
    __slots__ = ("queued", "held", "tasks", "current", "identity", "table")

    def __init__(self) -> None:
        self.queued = 0
        self.held = 0
        self.tasks: Task | None = None
        self.current: Task | Any = None  # None at the end
        self.identity = 0
        self.table: list[Task | None] = [None] * TASKS

    def add_idler(self, identity: int, priority: int, queue: Packet | None, state: State) -> None:
        idle = Idle()

        def work(_packet: Packet | None) -> Task | None:
            idle.count -= 1
            if idle.count == 0:
                return self.hold()
            if idle.control & 1 == 0:
                idle.control >>= 1
                return self.release(DEVICE_A)
            idle.control = (idle.control >> 1) ^ 53256
            return self.release(DEVICE_B)

        self.add(identity, priority, queue, state, work)

    def add_worker(self, identity: int, priority: int, queue: Packet | None, state: State) -> None:
        working = Working()

        def work(packet: Packet | None) -> Task:
            if packet is None:
                return self.await_()
            working.destination = HANDLER_B if working.destination == HANDLER_A else HANDLER_A
            packet.identity = working.destination
            packet.datum = 0
            for i in range(PACKET_DATA):
                working.count += 1
                if working.count > LETTERS:
                    working.count = 1
                packet.data[i] = 65 + working.count - 1
            return self.queue(packet)

        self.add(identity, priority, queue, state, work)

    def add_handler(self, identity: int, priority: int, queue: Packet | None, state: State) -> None:
        handling = Handling()

        def handle(packet: Packet | None) -> Task:
            if packet is not None:
                if packet.kind == WORK_KIND:
                    handling.work = packet.appended_to(handling.work)
                else:
                    handling.device = packet.appended_to(handling.device)
            work = handling.work
            if work is None:
                return self.await_()
            datum = work.datum
            if datum >= PACKET_DATA:
                handling.work = work.next
                return self.queue(work)
            device = handling.device
            if device is None:
                return self.await_()
            handling.device = device.next
            device.datum = work.data[datum]
            work.datum = datum + 1
            return self.queue(device)

        self.add(identity, priority, queue, state, handle)

    def add_device(self, identity: int, priority: int, queue: Packet | None, state: State) -> None:
        pending = Pending()

        def work(packet: Packet | None) -> Task | None:
            if packet is not None:
                pending.packet = packet
                return self.hold()
            done = pending.packet
            if done is None:
                return self.await_()
            pending.packet = None
            return self.queue(done)

        self.add(identity, priority, queue, state, work)

    def add(
        self,
        identity: int,
        priority: int,
        queue: Packet | None,
        state: State,
        work: Callable[[Packet | None], Task | None],
    ) -> None:
        self.tasks = Task(self.tasks, identity, priority, queue, state, work)
        self.table[identity] = self.tasks

    def schedule(self) -> None:
        self.current = self.tasks
        while self.current is not None:
            counts.steps += 1  # tick
            if self.current.is_held_or_waiting():
                self.current = self.current.next
            else:
                self.identity = self.current.identity
                self.current = self.current.run()

    def task(self, identity: int) -> Task:
        task = self.table[identity]
        if task is None:
            raise RuntimeError(f"no task {identity}")
        return task

    def hold(self) -> Task | None:
        self.held += 1
        self.current.held = True
        return self.current.next

    def await_(self) -> Task:
        self.current.waiting = True
        return self.current

    def release(self, identity: int) -> Task:
        task = self.task(identity)
        task.held = False
        return task if task.priority > self.current.priority else self.current

    def queue(self, packet: Packet) -> Task:
        receiver = self.task(packet.identity)
        self.queued += 1
        packet.next = None
        packet.identity = self.identity
        return receiver.accept(packet, self.current)


def device_packets(device: int) -> Packet:
    first = Packet(None, device, DEVICE_KIND)
    return Packet(Packet(first, device, DEVICE_KIND), device, DEVICE_KIND)


class Richards(Benchmark):
    __slots__ = ()

    def once(self) -> int:
        scheduler = Scheduler()
        scheduler.add_idler(IDLER, 0, None, State(False, False))
        work = Packet(Packet(None, WORKER, WORK_KIND), WORKER, WORK_KIND)
        scheduler.add_worker(WORKER, 1000, work, State(True, True))
        scheduler.add_handler(HANDLER_A, 2000, device_packets(DEVICE_A), State(True, True))
        scheduler.add_handler(HANDLER_B, 3000, device_packets(DEVICE_B), State(True, True))
        scheduler.add_device(DEVICE_A, 4000, None, State(False, True))
        scheduler.add_device(DEVICE_B, 5000, None, State(False, True))
        scheduler.schedule()
        return scheduler.queued * 10000 + scheduler.held
