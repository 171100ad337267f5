// The loops that were found, and which of them is in which.

import { IdentitySet } from './vector-set.js';
import { Vector } from './vector.js';

class Loop {
  constructor(header, isReducible, number) {
    this.header = header;
    this.isReducible = isReducible;
    this.number = number;
    this.isRoot = false;
    this.nesting = 0;
    this.depth = 0;
    this.parent = null;
    this.blocks = new IdentitySet();
    this.children = new IdentitySet();
    if (header !== null) this.blocks.add(header);
  }

  add(block) {
    this.blocks.add(block);
  }

  putInto(outer) {
    this.parent = outer;
    outer.children.add(this);
  }

  setNesting(level) {
    this.nesting = level;
    if (level === 0) this.isRoot = true;
  }
}

export class LoopStructure {
  constructor() {
    this.loops = new Vector();
    this.root = new Loop(null, true, 0);
    this.last = 0;
    this.root.setNesting(0);
    this.loops.append(this.root);
  }

  size() {
    return this.loops.size();
  }

  add(header, isReducible) {
    this.last++;
    const loop = new Loop(header, isReducible, this.last);
    this.loops.append(loop);
    return loop;
  }

  /** Puts loops that are in no other into the root, and computes how deep all are nested. */
  nest() {
    this.loops.forEach((loop) => {
      if (!loop.isRoot && loop.parent === null) loop.putInto(this.root);
    });
    this.nestIn(this.root, 0);
  }

  nestIn(loop, depth) {
    loop.depth = depth;
    loop.children.forEach((child) => {
      this.nestIn(child, depth + 1);
      loop.setNesting(Math.max(loop.nesting, 1 + child.nesting));
    });
  }
}
