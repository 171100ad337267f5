// Constraints that determine one of two variables by the other one.

import { Constraint } from './constraint.js';
import { counts } from './counts.js';

const FORWARD = 1;
const BACKWARD = 2;

class BinaryConstraint extends Constraint {
  constructor(one, other, name, planner) {
    super(name, planner);
    this.one = one;
    this.other = other;
    /** Null if the constraint is not satisfied. */
    this.direction = null;
  }

  isForward() {
    return this.direction === FORWARD;
  }

  isSatisfied() {
    return this.direction !== null;
  }

  markUnsatisfied() {
    this.direction = null;
  }

  addToGraph() {
    this.one.addConstraint(this);
    this.other.addConstraint(this);
    this.direction = null;
  }

  removeFromGraph() {
    this.one.removeConstraint(this);
    this.other.removeConstraint(this);
    this.direction = null;
  }

  input() {
    return this.isForward() ? this.one : this.other;
  }

  output() {
    return this.isForward() ? this.other : this.one;
  }

  inputsDo(action) {
    action(this.input());
  }

  inputsHaveSome(condition) {
    return condition(this.input());
  }

  chooseMethod(mark) {
    const { one, other } = this;
    if (one.mark === mark) {
      this.direction = this.towards(other, mark, FORWARD);
    } else if (other.mark === mark || one.walkStrength.isWeakerThan(other.walkStrength)) {
      this.direction = this.towards(one, mark, BACKWARD);
    } else {
      this.direction = this.towards(other, mark, FORWARD);
    }
  }

  towards(output, mark, wanted) {
    const canBe = output.mark !== mark && this.strength.isStrongerThan(output.walkStrength);
    return canBe ? wanted : null;
  }

  recalculate() {
    counts.steps++; // tick
    const input = this.input();
    const output = this.output();
    output.walkStrength = this.strength.weakest(input.walkStrength);
    output.stays = input.stays;
    if (output.stays) this.execute();
  }
}

/** Both have the same value. */
export class Equality extends BinaryConstraint {
  constructor(one, other, name, planner) {
    super(one, other, name, planner);
    this.add(planner);
  }

  execute() {
    counts.steps++; // tick
    this.output().value = this.input().value;
  }
}

/** The other value is the one value times the scale, and the offset. */
export class Scale extends BinaryConstraint {
  constructor(one, scale, offset, other, name, planner) {
    super(one, other, name, planner);
    this.scale = scale;
    this.offset = offset;
    this.add(planner);
  }

  addToGraph() {
    super.addToGraph();
    this.scale.addConstraint(this);
    this.offset.addConstraint(this);
  }

  removeFromGraph() {
    super.removeFromGraph();
    this.scale.removeConstraint(this);
    this.offset.removeConstraint(this);
  }

  inputsDo(action) {
    super.inputsDo(action);
    action(this.scale);
    action(this.offset);
  }

  inputsHaveSome(condition) {
    return super.inputsHaveSome(condition) || condition(this.scale) || condition(this.offset);
  }

  recalculate() {
    counts.steps++; // tick
    const input = this.input();
    const output = this.output();
    output.walkStrength = this.strength.weakest(input.walkStrength);
    output.stays = input.stays && this.scale.stays && this.offset.stays;
    if (output.stays) this.execute();
  }

  execute() {
    counts.steps++; // tick
    if (this.isForward()) {
      this.other.value = this.one.value * this.scale.value + this.offset.value;
    } else {
      this.one.value = ((this.other.value - this.offset.value) / this.scale.value) | 0;
    }
  }
}
