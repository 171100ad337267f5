// The contract's table: rows of linked nodes, whose keys and values are Buffers.

import { Fnv1a } from '../../../../harness/javascript/primitives.js';

export const counts = { sets: 0, gets: 0, chain_steps: 0 };

export class Store {
  constructor(rows, capacity) {
    this.rows = new Array(rows).fill(null); // the first node of each
    this.capacity = capacity; // 0: everything has room
    this.used = 0;
    this.entries = 0;
    this.evictions = 0;
  }

  /** The node with that key, or null. */
  find(index, key) {
    for (let node = this.rows[index]; node !== null; node = node.next) {
      counts.chain_steps++; // tick
      if (node.key.equals(key)) return node;
    }
    return null;
  }

  get(key) {
    const node = this.find(this.index(key), key);
    return node === null ? null : node.value;
  }

  /** Returns false if the value is longer than the capacity. */
  set(key, value) {
    const index = this.index(key);
    if (this.capacity > 0) {
      if (value.length > this.capacity) return false;
      this.used += value.length;
      while (this.used > this.capacity && this.evict(index));
    }
    const node = this.find(index, key);
    if (node !== null) {
      this.used -= this.capacity > 0 ? node.value.length : 0;
      node.value = value;
      return true;
    }
    const added = { key, value, next: null };
    this.entries++;
    if (this.rows[index] === null) {
      this.rows[index] = added;
    } else {
      let last = this.rows[index];
      while (last.next !== null) last = last.next;
      last.next = added;
    }
    return true;
  }

  evict(start) {
    for (let i = 0; i < this.rows.length; i++) {
      const index = (start + i) % this.rows.length;
      const first = this.rows[index];
      if (first !== null) {
        this.unlink(index, first);
        this.evictions++;
        return true;
      }
    }
    return false;
  }

  remove(key) {
    const index = this.index(key);
    const node = this.find(index, key);
    if (node === null) return false;
    this.unlink(index, node);
    return true;
  }

  unlink(index, node) {
    if (this.rows[index] === node) {
      this.rows[index] = node.next;
    } else {
      let before = this.rows[index];
      while (before.next !== node) before = before.next;
      before.next = node.next;
    }
    this.entries--;
    this.used -= this.capacity > 0 ? node.value.length : 0;
  }

  clear() {
    this.rows.fill(null);
    this.used = 0;
    this.entries = 0;
  }

  digest() {
    let sum = BigInt(0);
    for (const first of this.rows) {
      for (let node = first; node !== null; node = node.next) {
        const hash = new Fnv1a();
        for (const byte of node.key) hash.byte(byte);
        hash.byte(0);
        for (const byte of node.value) hash.byte(byte);
        sum += BigInt(`0x${hash.digest()}`);
      }
    }
    return BigInt.asUintN(64, sum).toString(16).padStart(16, '0');
  }

  index(key) {
    const hash = new Fnv1a();
    for (const byte of key) hash.byte(byte);
    const high = (hash.high >>> 0) % this.rows.length;
    return (high * 4294967296 + (hash.low >>> 0)) % this.rows.length;
  }
}
