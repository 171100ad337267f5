package awfy;

/** An operating system's scheduler, whose tasks send packets to each other. */
final class Richards extends Benchmark {
    private static final int IDLER = 0;
    private static final int WORKER = 1;
    private static final int HANDLER_A = 2;
    private static final int HANDLER_B = 3;
    private static final int DEVICE_A = 4;
    private static final int DEVICE_B = 5;
    private static final int TASKS = 6;
    private static final int PACKET_DATA = 4;
    private static final int LETTERS = 26;

    /** What a packet asks for. */
    private enum Kind { DEVICE, WORK }

    @Override
    long once() {
        var scheduler = new Scheduler();
        scheduler.addIdler(IDLER, 0, null, new State(false, false));
        var work = new Packet(new Packet(null, WORKER, Kind.WORK), WORKER, Kind.WORK);
        scheduler.addWorker(WORKER, 1000, work, new State(true, true));
        scheduler.addHandler(HANDLER_A, 2000, devicePackets(DEVICE_A), new State(true, true));
        scheduler.addHandler(HANDLER_B, 3000, devicePackets(DEVICE_B), new State(true, true));
        scheduler.addDevice(DEVICE_A, 4000, null, new State(false, true));
        scheduler.addDevice(DEVICE_B, 5000, null, new State(false, true));
        scheduler.schedule();
        return scheduler.queued * 10_000L + scheduler.held;
    }

    private static Packet devicePackets(int device) {
        var first = new Packet(null, device, Kind.DEVICE);
        return new Packet(new Packet(first, device, Kind.DEVICE), device, Kind.DEVICE);
    }

    private static final class Packet {
        Packet next;
        int identity;
        final Kind kind;
        int datum;
        final int[] data = new int[PACKET_DATA];

        Packet(Packet next, int identity, Kind kind) {
            this.next = next;
            this.identity = identity;
            this.kind = kind;
        }

        /** The queue with this packet as its last. */
        Packet appendedTo(Packet queue) {
            next = null;
            if (queue == null) {
                return this;
            }
            var last = queue;
            while (last.next != null) {
                last = last.next;
            }
            last.next = this;
            return queue;
        }
    }

    /** Whether a task has packets, waits, or is held. */
    private static class State {
        boolean packetPending;
        boolean waiting;
        boolean held;

        State(boolean packetPending, boolean waiting) {
            this.packetPending = packetPending;
            this.waiting = waiting;
        }

        void becomeRunning(boolean pending) {
            packetPending = pending;
            waiting = false;
            held = false;
        }

        boolean isHeldOrWaiting() { return held || !packetPending && waiting; }

        boolean isWaitingWithPacket() { return packetPending && waiting && !held; }
    }

    /** What a task does with a packet, or without one; the task that is next. */
    private interface Work {
        Task process(Packet packet);
    }

    private static final class Task extends State {
        final Task next;
        final int identity;
        final int priority;
        private Packet input;
        private final Work work;

        Task(Task next, int identity, int priority, Packet input, State state, Work work) {
            super(state.packetPending, state.waiting);
            this.next = next;
            this.identity = identity;
            this.priority = priority;
            this.input = input;
            this.work = work;
        }

        /** Adds a packet to this task's queue. Returns the task that runs next: this or the other. */
        Task accept(Packet packet, Task other) {
            if (input != null) {
                input = packet.appendedTo(input);
                return other;
            }
            input = packet;
            packetPending = true;
            return priority > other.priority ? this : other;
        }

        Task run() {
            Packet message = null;
            if (isWaitingWithPacket()) {
                message = input;
                input = message.next;
                becomeRunning(input != null);
            }
            return work.process(message);
        }
    }

    private static final class Idle {
        int control = 1;
        int count = 10_000;
    }

    private static final class Working {
        int destination = HANDLER_A;
        int count;
    }

    private static final class Handling {
        Packet work;
        Packet device;
    }

    private static final class Pending {
        Packet packet;
    }

    private static final class Scheduler {
        long queued;
        long held;
        private Task tasks;
        private Task current;
        private int identity;
        private final Task[] table = new Task[TASKS];

        void addIdler(int identity, int priority, Packet queue, State state) {
            var idle = new Idle();
            add(identity, priority, queue, state, packet -> {
                idle.count--;
                if (idle.count == 0) {
                    return hold();
                }
                if ((idle.control & 1) == 0) {
                    idle.control /= 2;
                    return release(DEVICE_A);
                }
                idle.control = idle.control / 2 ^ 53256;
                return release(DEVICE_B);
            });
        }

        void addWorker(int identity, int priority, Packet queue, State state) {
            var working = new Working();
            add(identity, priority, queue, state, packet -> {
                if (packet == null) {
                    return await();
                }
                working.destination = working.destination == HANDLER_A ? HANDLER_B : HANDLER_A;
                packet.identity = working.destination;
                packet.datum = 0;
                for (int i = 0; i < PACKET_DATA; i++) {
                    working.count++;
                    if (working.count > LETTERS) {
                        working.count = 1;
                    }
                    packet.data[i] = 'A' + working.count - 1;
                }
                return queue(packet);
            });
        }

        void addHandler(int identity, int priority, Packet queue, State state) {
            var handling = new Handling();
            add(identity, priority, queue, state, packet -> {
                if (packet != null) {
                    if (packet.kind == Kind.WORK) {
                        handling.work = packet.appendedTo(handling.work);
                    } else {
                        handling.device = packet.appendedTo(handling.device);
                    }
                }
                var work = handling.work;
                if (work == null) {
                    return await();
                }
                int datum = work.datum;
                if (datum >= PACKET_DATA) {
                    handling.work = work.next;
                    return queue(work);
                }
                var device = handling.device;
                if (device == null) {
                    return await();
                }
                handling.device = device.next;
                device.datum = work.data[datum];
                work.datum = datum + 1;
                return queue(device);
            });
        }

        void addDevice(int identity, int priority, Packet queue, State state) {
            var pending = new Pending();
            add(identity, priority, queue, state, packet -> {
                if (packet != null) {
                    pending.packet = packet;
                    return hold();
                }
                var done = pending.packet;
                if (done == null) {
                    return await();
                }
                pending.packet = null;
                return queue(done);
            });
        }

        private void add(int identity, int priority, Packet queue, State state, Work work) {
            tasks = new Task(tasks, identity, priority, queue, state, work);
            table[identity] = tasks;
        }

        void schedule() {
            current = tasks;
            while (current != null) {
                Counts.steps++; // tick
                if (current.isHeldOrWaiting()) {
                    current = current.next;
                } else {
                    identity = current.identity;
                    current = current.run();
                }
            }
        }

        private Task task(int identity) {
            var task = table[identity];
            if (task == null) {
                throw new IllegalStateException("no task " + identity);
            }
            return task;
        }

        private Task hold() {
            held++;
            current.held = true;
            return current.next;
        }

        private Task await() {
            current.waiting = true;
            return current;
        }

        private Task release(int identity) {
            var task = task(identity);
            task.held = false;
            return task.priority > current.priority ? task : current;
        }

        private Task queue(Packet packet) {
            var receiver = task(packet.identity);
            queued++;
            packet.next = null;
            packet.identity = identity;
            return receiver.accept(packet, current);
        }
    }
}
