// The suite's own set: a vector without equal elements.

import { Vector } from './vector.js';

export class VectorSet {
  constructor() {
    this.items = new Vector();
  }

  size() {
    return this.items.size();
  }

  add(element) {
    if (!this.contains(element)) this.items.append(element);
  }

  contains(element) {
    return this.items.hasSome((item) => item === element);
  }

  forEach(action) {
    this.items.forEach(action);
  }
}

/** A set in which only the same object is equal. */
export class IdentitySet extends VectorSet {
  contains(element) {
    return this.items.hasSome((item) => item === element);
  }
}
