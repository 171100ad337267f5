// Relations of variables that the planner keeps, by giving one of them its value.

import { counts } from './counts.js';
import { REQUIRED } from './strength.js';

/** A subclass says which variables it has, and how it computes one of them. */
export class Constraint {
  constructor(name, planner) {
    this.strength = planner.strength(name);
  }

  /** Computes the output's value. */
  execute() {}

  /** Whether its value comes from outside. */
  isInput() {
    return false;
  }

  /** Whether each input has a value that is constant, or known to this pass. */
  inputsKnown(mark) {
    return !this.inputsHaveSome(
      (input) => input.mark !== mark && !input.stays && input.determinedBy !== null,
    );
  }

  add(planner) {
    this.addToGraph();
    planner.incrementalAdd(this);
  }

  /** It is removed from the graph twice if it is satisfied, as in the suite. */
  destroy(planner) {
    if (this.isSatisfied()) planner.incrementalRemove(this);
    this.removeFromGraph();
  }

  /** Satisfies this constraint. Returns the constraint that it overrides, or null. */
  satisfy(mark, planner) {
    counts.steps++; // tick
    this.chooseMethod(mark);
    if (!this.isSatisfied()) {
      if (this.strength.name === REQUIRED) {
        throw new Error('a required constraint cannot be satisfied');
      }
      return null;
    }
    this.inputsDo((input) => {
      input.mark = mark;
    });
    const output = this.output();
    const overridden = output.determinedBy;
    if (overridden !== null) overridden.markUnsatisfied();
    output.determinedBy = this;
    if (!planner.propagate(this, mark)) throw new Error('a cycle of constraints');
    output.mark = mark;
    return overridden;
  }
}

/** A constraint on one variable. */
class Unary extends Constraint {
  constructor(output, name, planner) {
    super(name, planner);
    this.variable = output;
    this.satisfied = false;
    this.add(planner);
  }

  isSatisfied() {
    return this.satisfied;
  }

  markUnsatisfied() {
    this.satisfied = false;
  }

  addToGraph() {
    this.variable.addConstraint(this);
    this.satisfied = false;
  }

  removeFromGraph() {
    this.variable.removeConstraint(this);
    this.satisfied = false;
  }

  output() {
    return this.variable;
  }

  inputsDo() {}

  inputsHaveSome() {
    return false;
  }

  chooseMethod(mark) {
    const output = this.variable;
    this.satisfied = output.mark !== mark && this.strength.isStrongerThan(output.walkStrength);
  }

  recalculate() {
    counts.steps++; // tick
    this.variable.walkStrength = this.strength;
    this.variable.stays = !this.isInput();
    if (this.variable.stays) this.execute();
  }
}

/** The variable's value comes from outside. */
export class Edit extends Unary {
  isInput() {
    return true;
  }
}

/** The variable keeps its value. */
export class Stay extends Unary {}
