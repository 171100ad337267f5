// An operating system's scheduler, whose tasks send packets to each other.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

const IDLER = 0;
const WORKER = 1;
const HANDLER_A = 2;
const HANDLER_B = 3;
const DEVICE_A = 4;
const DEVICE_B = 5;
const TASKS = 6;
const PACKET_DATA = 4;
const LETTERS = 26;

// What a packet asks for.
const DEVICE_KIND = 0;
const WORK_KIND = 1;

class Packet {
  constructor(next, identity, kind) {
    this.next = next;
    this.identity = identity;
    this.kind = kind;
    this.datum = 0;
    this.data = new Array(PACKET_DATA).fill(0);
  }

  /** The queue with this packet as its last. */
  appendedTo(queue) {
    this.next = null;
    if (queue === null) return this;
    let last = queue;
    while (last.next !== null) last = last.next;
    last.next = this;
    return queue;
  }
}

/** Whether a task has packets, waits, or is held. */
class State {
  constructor(packetPending, waiting) {
    this.packetPending = packetPending;
    this.waiting = waiting;
    this.held = false;
  }

  becomeRunning(pending) {
    this.packetPending = pending;
    this.waiting = false;
    this.held = false;
  }

  isHeldOrWaiting() {
    return this.held || (!this.packetPending && this.waiting);
  }

  isWaitingWithPacket() {
    return this.packetPending && this.waiting && !this.held;
  }
}

/** `work` does what the task does with a packet or null, and gives the task that is next. */
class Task extends State {
  constructor(next, identity, priority, input, state, work) {
    super(state.packetPending, state.waiting);
    this.next = next;
    this.identity = identity;
    this.priority = priority;
    this.input = input;
    this.work = work;
  }

  /** Adds a packet to this task's queue. Returns the task that runs next: this or the other. */
  accept(packet, other) {
    if (this.input !== null) {
      this.input = packet.appendedTo(this.input);
      return other;
    }
    this.input = packet;
    this.packetPending = true;
    return this.priority > other.priority ? this : other;
  }

  run() {
    let message = null;
    if (this.isWaitingWithPacket()) {
      message = this.input;
      this.input = message.next;
      this.becomeRunning(this.input !== null);
    }
    return this.work(message);
  }
}

class Idle {
  constructor() {
    this.control = 1;
    this.count = 10000;
  }
}

class Working {
  constructor() {
    this.destination = HANDLER_A;
    this.count = 0;
  }
}

class Handling {
  constructor() {
    this.work = null;
    this.device = null;
  }
}

class Pending {
  constructor() {
    this.packet = null;
  }
}

class Scheduler {
  constructor() {
    this.queued = 0;
    this.held = 0;
    this.tasks = null;
    this.current = null;
    this.identity = 0;
    this.table = new Array(TASKS).fill(null);
  }

  addIdler(identity, priority, queue, state) {
    const idle = new Idle();
    this.add(identity, priority, queue, state, () => {
      idle.count--;
      if (idle.count === 0) return this.hold();
      if ((idle.control & 1) === 0) {
        idle.control >>= 1;
        return this.release(DEVICE_A);
      }
      idle.control = (idle.control >> 1) ^ 53256;
      return this.release(DEVICE_B);
    });
  }

  addWorker(identity, priority, queue, state) {
    const working = new Working();
    this.add(identity, priority, queue, state, (packet) => {
      if (packet === null) return this.await();
      working.destination = working.destination === HANDLER_A ? HANDLER_B : HANDLER_A;
      packet.identity = working.destination;
      packet.datum = 0;
      for (let i = 0; i < PACKET_DATA; i++) {
        working.count++;
        if (working.count > LETTERS) working.count = 1;
        packet.data[i] = 65 + working.count - 1;
      }
      return this.queue(packet);
    });
  }

  addHandler(identity, priority, queue, state) {
    const handling = new Handling();
    this.add(identity, priority, queue, state, (packet) => {
      if (packet !== null) {
        if (packet.kind === WORK_KIND) handling.work = packet.appendedTo(handling.work);
        else handling.device = packet.appendedTo(handling.device);
      }
      const work = handling.work;
      if (work === null) return this.await();
      const datum = work.datum;
      if (datum >= PACKET_DATA) {
        handling.work = work.next;
        return this.queue(work);
      }
      const device = handling.device;
      if (device === null) return this.await();
      handling.device = device.next;
      device.datum = work.data[datum];
      work.datum = datum + 1;
      return this.queue(device);
    });
  }

  addDevice(identity, priority, queue, state) {
    const pending = new Pending();
    this.add(identity, priority, queue, state, (packet) => {
      if (packet !== null) {
        pending.packet = packet;
        return this.hold();
      }
      const done = pending.packet;
      if (done === null) return this.await();
      pending.packet = null;
      return this.queue(done);
    });
  }

  add(identity, priority, queue, state, work) {
    this.tasks = new Task(this.tasks, identity, priority, queue, state, work);
    this.table[identity] = this.tasks;
  }

  schedule() {
    this.current = this.tasks;
    while (this.current !== null) {
      counts.steps++; // tick
      if (this.current.isHeldOrWaiting()) {
        this.current = this.current.next;
      } else {
        this.identity = this.current.identity;
        this.current = this.current.run();
      }
    }
  }

  task(identity) {
    const task = this.table[identity];
    if (task === null) throw new Error(`no task ${identity}`);
    return task;
  }

  hold() {
    this.held++;
    this.current.held = true;
    return this.current.next;
  }

  await() {
    this.current.waiting = true;
    return this.current;
  }

  release(identity) {
    const task = this.task(identity);
    task.held = false;
    return task.priority > this.current.priority ? task : this.current;
  }

  queue(packet) {
    const receiver = this.task(packet.identity);
    this.queued++;
    packet.next = null;
    packet.identity = this.identity;
    return receiver.accept(packet, this.current);
  }
}

function devicePackets(device) {
  const first = new Packet(null, device, DEVICE_KIND);
  return new Packet(new Packet(first, device, DEVICE_KIND), device, DEVICE_KIND);
}

export class Richards extends Benchmark {
  once() {
    const scheduler = new Scheduler();
    scheduler.addIdler(IDLER, 0, null, new State(false, false));
    const work = new Packet(new Packet(null, WORKER, WORK_KIND), WORKER, WORK_KIND);
    scheduler.addWorker(WORKER, 1000, work, new State(true, true));
    scheduler.addHandler(HANDLER_A, 2000, devicePackets(DEVICE_A), new State(true, true));
    scheduler.addHandler(HANDLER_B, 3000, devicePackets(DEVICE_B), new State(true, true));
    scheduler.addDevice(DEVICE_A, 4000, null, new State(false, true));
    scheduler.addDevice(DEVICE_B, 5000, null, new State(false, true));
    scheduler.schedule();
    return scheduler.queued * 10000 + scheduler.held;
  }
}
