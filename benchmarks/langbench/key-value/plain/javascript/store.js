// The contract's table: rows of linked nodes, whose keys and values are Buffers.

import { Fnv1a } from '../../../../harness/javascript/primitives.js';

export const counts = { sets: 0, gets: 0, chain_steps: 0 };

export class Store {
  constructor(rows, capacity) {
    this.rows = Array.from({ length: rows }, () => ({ first: null, last: null }));
    this.capacity = capacity; // 0: everything has room
    this.used = 0;
    this.entries = 0;
    this.evictions = 0;
  }

  /** The node with that key, or null. */
  find(index, key) {
    for (let node = this.rows[index].first; node !== null; node = node.next) {
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
    const row = this.rows[index];
    if (row.last === null) row.first = added;
    else row.last.next = added;
    row.last = added;
    return true;
  }

  evict(start) {
    for (let i = 0; i < this.rows.length; i++) {
      const index = (start + i) % this.rows.length;
      const { first } = this.rows[index];
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
    const row = this.rows[index];
    let before = null;
    for (let other = row.first; other !== node; other = other.next) before = other;
    if (before === null) row.first = node.next;
    else before.next = node.next;
    if (row.last === node) row.last = before;
    this.entries--;
    this.used -= this.capacity > 0 ? node.value.length : 0;
  }

  clear() {
    for (const row of this.rows) {
      row.first = null;
      row.last = null;
    }
    this.used = 0;
    this.entries = 0;
  }

  digest() {
    let sum = BigInt(0);
    for (const { first } of this.rows) {
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
