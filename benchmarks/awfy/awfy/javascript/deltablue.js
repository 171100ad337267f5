// An incremental solver of constraints; the answer is the sum of the values that are verified.

import { Equality, Scale } from './binary-constraint.js';
import { Edit, Stay } from './constraint.js';
import { Planner } from './planner.js';
import { DEFAULT, PREFERRED, REQUIRED, STRONG_DEFAULT, strengthTable } from './strength.js';
import { Variable } from './variable.js';
import { Vector } from './vector.js';

export class DeltaBlue {
  run(length) {
    this.strengths = strengthTable();
    this.sum = 0;
    this.chain(length);
    this.projection(length);
    return this.sum;
  }

  verify(variable, expected) {
    if (variable.value !== expected) {
      throw new Error(`a variable has ${variable.value}, not ${expected}`);
    }
    this.sum += expected;
  }

  /** Variables that are equal to their neighbours; the first one changes. */
  chain(length) {
    const planner = new Planner(this.strengths);
    const variables = new Array(length + 1);
    for (let i = 0; i <= length; i++) variables[i] = new Variable(0, planner);
    for (let i = 0; i < length; i++) {
      new Equality(variables[i], variables[i + 1], REQUIRED, planner);
    }
    new Stay(variables[length], STRONG_DEFAULT, planner);
    const edit = new Edit(variables[0], PREFERRED, planner);
    const edits = new Vector();
    edits.append(edit);
    const plan = planner.planFrom(edits);
    for (let i = 0; i < 100; i++) {
      variables[0].value = i;
      plan.execute();
      this.verify(variables[length], i);
    }
    edit.destroy(planner);
  }

  /** Sources with their images by a common scale and offset; each of the four changes. */
  projection(length) {
    const planner = new Planner(this.strengths);
    const images = new Vector();
    const scale = new Variable(10, planner);
    const offset = new Variable(1000, planner);
    let source = null;
    let image = null;
    for (let i = 1; i <= length; i++) {
      source = new Variable(i, planner);
      image = new Variable(i, planner);
      images.append(image);
      new Stay(source, DEFAULT, planner);
      new Scale(source, scale, offset, image, REQUIRED, planner);
    }
    planner.change(source, 17);
    this.verify(image, 1170);
    planner.change(image, 1050);
    this.verify(source, 5);
    planner.change(scale, 5);
    for (let i = 1; i < length; i++) this.verify(images.at(i - 1), i * 5 + 1000);
    planner.change(offset, 2000);
    for (let i = 1; i < length; i++) this.verify(images.at(i - 1), i * 5 + 2000);
  }
}
