// The suite's own dictionary: a table of lists of entries, which doubles; keys are objects.

import { counts } from './counts.js';

const INITIAL = 16;

const spread = (hash) => hash ^ (hash >>> 16);

class Entry {
  constructor(hash, key, value) {
    this.hash = hash;
    this.key = key;
    this.value = value;
    this.next = null;
  }
}

/** A list that grows at its end. */
class Chain {
  constructor() {
    this.first = null;
    this.last = null;
  }

  append(entry) {
    if (this.last === null) this.first = entry;
    else this.last.next = entry;
    this.last = entry;
  }

  end() {
    if (this.last !== null) this.last.next = null;
  }
}

export class IdentityDictionary {
  constructor() {
    this.buckets = new Array(INITIAL).fill(null);
    this.size = 0;
  }

  /** The value of a key, or null. */
  get(key) {
    const hash = spread(key.hash());
    let entry = this.buckets[hash & (this.buckets.length - 1)];
    while (entry !== null) {
      counts.elements++; // tick
      if (entry.hash === hash && entry.key === key) return entry.value;
      entry = entry.next;
    }
    return null;
  }

  put(key, value) {
    const hash = spread(key.hash());
    const place = hash & (this.buckets.length - 1);
    let last = null;
    let entry = this.buckets[place];
    while (entry !== null) {
      counts.elements++; // tick
      if (entry.hash === hash && entry.key === key) {
        entry.value = value;
        return;
      }
      last = entry;
      entry = entry.next;
    }
    const added = new Entry(hash, key, value);
    if (last === null) this.buckets[place] = added;
    else last.next = added;
    this.size++;
    if (this.size > this.buckets.length) this.grow();
  }

  removeAll() {
    this.buckets = new Array(this.buckets.length).fill(null);
    this.size = 0;
  }

  /** Entries of a list go to its old place or to one in the upper half, in their order. */
  grow() {
    const old = this.buckets;
    this.buckets = new Array(2 * old.length).fill(null);
    for (let i = 0; i < old.length; i++) {
      const lower = new Chain();
      const upper = new Chain();
      for (let entry = old[i]; entry !== null; entry = entry.next) {
        counts.elements++; // tick
        if ((entry.hash & old.length) === 0) lower.append(entry);
        else upper.append(entry);
      }
      lower.end();
      upper.end();
      this.buckets[i] = lower.first;
      this.buckets[i + old.length] = upper.first;
    }
  }
}
