// A variable of DeltaBlue's graph of constraints.

import { ABSOLUTE_WEAKEST } from './strength.js';
import { Vector } from './vector.js';

export class Variable {
  constructor(value, planner) {
    this.value = value;
    this.constraints = new Vector();
    /** The constraint that gives this variable its value, or null. */
    this.determinedBy = null;
    /** The last pass of the planner that came here. */
    this.mark = 0;
    this.walkStrength = planner.strength(ABSOLUTE_WEAKEST);
    /** Whether its value is constant while a plan is carried out. */
    this.stays = true;
  }

  addConstraint(constraint) {
    this.constraints.append(constraint);
  }

  removeConstraint(constraint) {
    this.constraints.remove(constraint);
    if (this.determinedBy === constraint) this.determinedBy = null;
  }
}
