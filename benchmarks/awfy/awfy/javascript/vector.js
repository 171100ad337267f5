// The suite's own array that grows.

import { counts } from './counts.js';

const INITIAL = 10;

export class Vector {
  constructor() {
    this.storage = [];
    this.first = 0;
    this.end = 0;
  }

  size() {
    return this.end - this.first;
  }

  isEmpty() {
    return this.first === this.end;
  }

  /** An element, or null if there is none at that place. */
  at(index) {
    return index < this.size() ? this.storage[this.first + index] : null;
  }

  append(element) {
    counts.elements++; // tick
    this.reserve(this.end);
    this.storage[this.end] = element;
    this.end++;
  }

  /** Puts an element at a place at which there is one, or just after the last one. */
  put(index, element) {
    counts.elements++; // tick
    const place = this.first + index;
    this.reserve(place);
    this.storage[place] = element;
    if (place >= this.end) this.end = place + 1;
  }

  reserve(place) {
    if (place === this.storage.length) {
      const larger = new Array(place === 0 ? INITIAL : 2 * place).fill(null);
      for (let i = this.first; i < this.end; i++) {
        counts.elements++; // tick
        larger[i] = this.storage[i];
      }
      this.storage = larger;
    }
  }

  /** Null if the vector is empty. */
  removeFirst() {
    if (this.isEmpty()) return null;
    counts.elements++; // tick
    this.first++;
    return this.storage[this.first - 1];
  }

  /** Removes the element, by identity; whether it was there. */
  remove(element) {
    const kept = new Array(this.storage.length).fill(null);
    let length = 0;
    let found = false;
    for (let i = this.first; i < this.end; i++) {
      counts.elements++; // tick
      if (this.storage[i] === element) {
        found = true;
      } else {
        kept[length] = this.storage[i];
        length++;
      }
    }
    this.storage = kept;
    this.first = 0;
    this.end = length;
    return found;
  }

  removeAll() {
    this.storage = new Array(this.storage.length).fill(null);
    this.first = 0;
    this.end = 0;
  }

  forEach(action) {
    for (let i = this.first; i < this.end; i++) {
      counts.elements++; // tick
      action(this.storage[i]);
    }
  }

  hasSome(condition) {
    for (let i = this.first; i < this.end; i++) {
      counts.elements++; // tick
      if (condition(this.storage[i])) return true;
    }
    return false;
  }

  /** Puts the elements in order, by insertion; equal ones stay in theirs. */
  sort(isBefore) {
    for (let i = this.first + 1; i < this.end; i++) {
      const element = this.storage[i];
      let place = i;
      while (place > this.first && isBefore(element, this.storage[place - 1])) {
        counts.elements++; // tick
        this.storage[place] = this.storage[place - 1];
        place--;
      }
      this.storage[place] = element;
    }
  }
}
