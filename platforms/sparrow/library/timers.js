// Timers: a heap by due time, and one alarm in the loop for the earliest.

import native from 'sparrow:native';

const MOST_MS = 2 ** 31 - 1;
const heap = [];
let order = 0;

class Timer {
  constructor(callback, delay, repeat, values) {
    this.callback = callback;
    this.delay = delay;
    this.repeat = repeat;
    this.values = values;
    this.at = -1; // its place in the heap; -1 when it is not there
    this.held = true;
    this.order = 0;
    this.due = 0;
  }

  /** The program may end although this timer is still to come. */
  unref() {
    if (this.held && this.at >= 0) native.release();
    this.held = false;
    return this;
  }

  ref() {
    if (!this.held && this.at >= 0) native.hold();
    this.held = true;
    return this;
  }
}

export function setTimeout(callback, delay, ...values) {
  return started(new Timer(callback, bounded(delay), false, values));
}

export function setInterval(callback, delay, ...values) {
  return started(new Timer(callback, bounded(delay), true, values));
}

export function setImmediate(callback, ...values) {
  return started(new Timer(callback, 0, false, values));
}

export function clearTimeout(timer) {
  if (!(timer instanceof Timer)) return;
  timer.repeat = false;
  if (timer.at < 0) return;
  remove(timer.at);
  setAlarm();
}

export const clearInterval = clearTimeout;

export function queueMicrotask(callback) {
  Promise.resolve().then(callback);
}

/** A promise that is kept after `ms`. */
export function sleep(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function bounded(delay) {
  return Math.min(Math.max(Number(delay) || 0, 0), MOST_MS);
}

function started(timer) {
  if (typeof timer.callback !== 'function') throw new TypeError('a timer needs a function');
  insert(timer);
  setAlarm();
  return timer;
}

function setAlarm() {
  native.setAlarm(heap.length === 0 ? -1 : heap[0].due);
}

function runDue() {
  const now = native.now();
  // What these timers start comes in the next turn.
  const last = order;
  try {
    while (heap.length > 0 && heap[0].due <= now && heap[0].order <= last) {
      const timer = heap[0];
      remove(0);
      try {
        timer.callback(...timer.values);
      } finally {
        if (timer.repeat) insert(timer);
      }
      native.runMicrotasks();
    }
  } finally {
    setAlarm();
  }
}

function earlier(a, b) {
  return a.due < b.due || (a.due === b.due && a.order < b.order);
}

function insert(timer) {
  timer.due = native.now() + timer.delay;
  timer.order = ++order;
  timer.at = heap.length;
  heap.push(timer);
  rise(timer);
  if (timer.held) native.hold();
}

function remove(at) {
  const timer = heap[at];
  const last = heap.pop();
  if (last !== timer) {
    last.at = at;
    heap[at] = last;
    rise(last);
    sink(last);
  }
  timer.at = -1;
  if (timer.held) native.release();
}

function rise(timer) {
  while (timer.at > 0) {
    const parent = heap[(timer.at - 1) >> 1];
    if (!earlier(timer, parent)) return;
    swap(timer, parent);
  }
}

function sink(timer) {
  for (;;) {
    const left = 2 * timer.at + 1;
    if (left >= heap.length) return;
    const right = left + 1;
    const child = right < heap.length && earlier(heap[right], heap[left]) ? right : left;
    if (!earlier(heap[child], timer)) return;
    swap(heap[child], timer);
  }
}

function swap(a, b) {
  [heap[a.at], heap[b.at]] = [b, a];
  [a.at, b.at] = [b.at, a.at];
}

native.onTimers(runDue);
