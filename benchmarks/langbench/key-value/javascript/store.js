// Rows of linked nodes. They need no locks: nothing else runs on the event loop while a request is
// carried out. Keys and values are strings in which a character is a byte (latin1): immutable, and
// on the engine's own heap like any other object.

import { Fnv1a } from '../../../harness/javascript/primitives.js';

/** An entry, and the one that came into the row after it. */
class Node {
  constructor(key, value) {
    this.key = key;
    this.value = value;
    this.next = null;
  }
}

/** A linked list of nodes, the oldest first. */
class Row {
  constructor() {
    this.clear();
  }

  clear() {
    this.first = null;
    this.last = null;
    this.length = 0;
  }

  append(node) {
    if (this.last === null) this.first = node;
    else this.last.next = node;
    this.last = node;
    this.length++;
  }

  unlink(node) {
    let before = null;
    for (let at = this.first; at !== node; at = at.next) before = at;
    if (before === null) this.first = node.next;
    else before.next = node.next;
    if (this.last === node) this.last = before;
    this.length--;
  }

  *nodes() {
    for (let node = this.first; node !== null; node = node.next) yield node;
  }
}

/** The table. */
export class Store {
  /** No capacity, 0, is room for everything. */
  constructor(rows, capacityBytes) {
    this.rows = Array.from({ length: rows }, () => new Row());
    this.capacityBytes = capacityBytes;
    this.usedBytes = 0;
  }

  /** The value, or undefined. */
  get(key, statistics) {
    const node = this.find(this.rows[this.index(key)], key, statistics);
    return node === null ? undefined : node.value;
  }

  /** False where the value is longer than all of the room. */
  set(key, value, statistics) {
    const start = this.index(key);
    if (this.capacityBytes > 0) {
      if (value.length > this.capacityBytes) return false;
      this.usedBytes += value.length;
      while (this.usedBytes > this.capacityBytes) this.evict(start, statistics);
    }
    const row = this.rows[start];
    const node = this.find(row, key, statistics);
    if (node === null) {
      row.append(new Node(key, value));
    } else {
      this.usedBytes -= node.value.length;
      node.value = value;
    }
    return true;
  }

  /** Lets the oldest entry of the first row go that has one. */
  evict(start, statistics) {
    let index = start;
    while (this.rows[index].first === null) index = (index + 1) % this.rows.length;
    const row = this.rows[index];
    statistics.evictions++;
    this.usedBytes -= row.first.value.length;
    row.unlink(row.first);
  }

  /** Whether there was such an entry. */
  remove(key, statistics) {
    const row = this.rows[this.index(key)];
    const node = this.find(row, key, statistics);
    if (node === null) return false;
    this.usedBytes -= node.value.length;
    row.unlink(node);
    return true;
  }

  clear() {
    for (const row of this.rows) row.clear();
    this.usedBytes = 0;
  }

  entries() {
    return this.rows.reduce((total, row) => total + row.length, 0);
  }

  /** 16 hexadecimal digits. */
  digest() {
    let total = 0n;
    for (const row of this.rows) {
      for (const node of row.nodes()) {
        const hash = hashed(node.key);
        hash.byte(0);
        hash.latin1(node.value);
        total += BigInt(`0x${hash.digest()}`);
      }
    }
    return BigInt.asUintN(64, total).toString(16).padStart(16, '0');
  }

  index(key) {
    const { high, low } = hashed(key);
    const { length } = this.rows; // at most 2^20, so that all stays an integer
    return (((high >>> 0) % length) * 2 ** 32 + (low >>> 0)) % length;
  }

  /** The node with that key, or null. */
  find(row, key, statistics) {
    for (let node = row.first; node !== null; node = node.next) {
      statistics.chain_steps++; // tick
      if (node.key === key) return node;
    }
    return null;
  }
}

function hashed(text) {
  const hash = new Fnv1a();
  hash.latin1(text);
  return hash;
}
