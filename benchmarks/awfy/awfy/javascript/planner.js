// Keeps a graph of constraints satisfied, and makes plans that compute it again.

import { Edit } from './constraint.js';
import { ABSOLUTE_WEAKEST, PREFERRED } from './strength.js';
import { Vector } from './vector.js';

/** Constraints in an order in which they can be executed. */
class Plan {
  constructor() {
    this.constraints = new Vector();
  }

  append(constraint) {
    this.constraints.append(constraint);
  }

  execute() {
    this.constraints.forEach((constraint) => {
      constraint.execute();
    });
  }
}

/** The satisfied constraints that read a variable. */
function consumingDo(variable, action) {
  const determining = variable.determinedBy;
  variable.constraints.forEach((constraint) => {
    if (constraint !== determining && constraint.isSatisfied()) action(constraint);
  });
}

function addConsuming(variable, todo) {
  consumingDo(variable, (constraint) => todo.append(constraint));
}

export class Planner {
  constructor(strengths) {
    this.strengths = strengths;
    this.mark = 1;
  }

  strength(name) {
    return this.strengths.get(name);
  }

  newMark() {
    const last = this.mark;
    this.mark++;
    return last;
  }

  /** Satisfies a new constraint, and then each constraint that was overridden. */
  incrementalAdd(constraint) {
    const pass = this.newMark();
    let overridden = constraint.satisfy(pass, this);
    while (overridden !== null) overridden = overridden.satisfy(pass, this);
  }

  /** Takes a constraint out, and satisfies those that can be without it. */
  incrementalRemove(constraint) {
    const output = constraint.output();
    constraint.markUnsatisfied();
    constraint.removeFromGraph();
    this.removePropagateFrom(output).forEach((one) => {
      this.incrementalAdd(one);
    });
  }

  planFrom(constraints) {
    const sources = new Vector();
    constraints.forEach((constraint) => {
      if (constraint.isInput() && constraint.isSatisfied()) sources.append(constraint);
    });
    return this.makePlan(sources);
  }

  makePlan(sources) {
    const pass = this.newMark();
    const plan = new Plan();
    const todo = sources;
    while (!todo.isEmpty()) {
      const constraint = todo.removeFirst();
      const output = constraint.output();
      if (output.mark !== pass && constraint.inputsKnown(pass)) {
        plan.append(constraint);
        output.mark = pass;
        addConsuming(output, todo);
      }
    }
    return plan;
  }

  /** Recalculates all that depends on a constraint; whether there is no cycle. */
  propagate(constraint, pass) {
    const todo = new Vector();
    todo.append(constraint);
    while (!todo.isEmpty()) {
      const next = todo.removeFirst();
      if (next.output().mark === pass) {
        this.incrementalRemove(constraint);
        return false;
      }
      next.recalculate();
      addConsuming(next.output(), todo);
    }
    return true;
  }

  /** Constraints that cannot be satisfied any more, the strongest first. */
  removePropagateFrom(removed) {
    const unsatisfied = new Vector();
    removed.determinedBy = null;
    removed.walkStrength = this.strength(ABSOLUTE_WEAKEST);
    removed.stays = true;
    const todo = new Vector();
    todo.append(removed);
    while (!todo.isEmpty()) {
      const variable = todo.removeFirst();
      variable.constraints.forEach((constraint) => {
        if (!constraint.isSatisfied()) unsatisfied.append(constraint);
      });
      consumingDo(variable, (constraint) => {
        constraint.recalculate();
        todo.append(constraint.output());
      });
    }
    unsatisfied.sort((one, other) => one.strength.isStrongerThan(other.strength));
    return unsatisfied;
  }

  /** Gives a variable a value from outside, ten times. */
  change(variable, value) {
    const edit = new Edit(variable, PREFERRED, this);
    const edits = new Vector();
    edits.append(edit);
    const plan = this.planFrom(edits);
    for (let i = 0; i < 10; i++) {
      variable.value = value;
      plan.execute();
    }
    edit.destroy(this);
  }
}
