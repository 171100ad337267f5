// How strong a constraint is: the smaller the number, the stronger.

import { IdentityDictionary } from './identity-dictionary.js';

/** A strength's name, by which the table of a run finds it. */
class Name {
  constructor(hash) {
    this.number = hash;
  }

  hash() {
    return this.number;
  }
}

const ABSOLUTE_STRONGEST = new Name(0);
export const REQUIRED = new Name(1);
const STRONG_PREFERRED = new Name(2);
export const PREFERRED = new Name(3);
export const STRONG_DEFAULT = new Name(4);
export const DEFAULT = new Name(5);
const WEAK_DEFAULT = new Name(6);
export const ABSOLUTE_WEAKEST = new Name(7);

class Strength {
  constructor(name, value) {
    this.name = name;
    this.value = value;
  }

  isStrongerThan(other) {
    return this.value < other.value;
  }

  isWeakerThan(other) {
    return this.value > other.value;
  }

  weakest(other) {
    return other.isWeakerThan(this) ? other : this;
  }
}

/** All strengths by their names. */
export function strengthTable() {
  const table = new IdentityDictionary();
  const add = (name, value) => table.put(name, new Strength(name, value));
  add(ABSOLUTE_STRONGEST, -10000);
  add(REQUIRED, -800);
  add(STRONG_PREFERRED, -600);
  add(PREFERRED, -400);
  add(STRONG_DEFAULT, -200);
  add(DEFAULT, 0);
  add(WEAK_DEFAULT, 500);
  add(ABSOLUTE_WEAKEST, 10000);
  return table;
}
