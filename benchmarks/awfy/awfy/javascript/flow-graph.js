// A program's control flow: basic blocks and the edges between them.

import { Vector } from './vector.js';

class Block {
  constructor(name) {
    this.name = name;
    this.inward = new Vector();
    this.outward = new Vector();
  }

  hash() {
    return this.name;
  }
}

class Edge {
  constructor(from, to) {
    this.from = from;
    this.to = to;
    from.outward.append(to);
    to.inward.append(from);
  }
}

export class FlowGraph {
  constructor() {
    this.blocks = new Vector();
    this.edges = new Vector();
    /** The first block that was made, or null. */
    this.start = null;
  }

  size() {
    return this.blocks.size();
  }

  /** The block of that name, which is made if there is none. */
  block(name) {
    let block = this.blocks.at(name);
    if (block === null) {
      block = new Block(name);
      this.blocks.put(name, block);
    }
    if (this.size() === 1) this.start = block;
    return block;
  }

  connect(from, to) {
    this.edges.append(new Edge(this.block(from), this.block(to)));
  }

  /** Two ways from a block to another one, whose name is the answer. */
  addDiamond(from) {
    this.connect(from, from + 1);
    this.connect(from, from + 2);
    this.connect(from + 1, from + 3);
    this.connect(from + 2, from + 3);
    return from + 3;
  }

  addStraight(from, length) {
    for (let i = 0; i < length; i++) this.connect(from + i, from + i + 1);
    return from + length;
  }

  /** Two loops side by side in a third one; the name of the block after them. */
  addLoops(from) {
    const header = this.addStraight(from, 1);
    const first = this.addDiamond(header);
    const between = this.addStraight(first, 1);
    const second = this.addDiamond(between);
    const footer = this.addStraight(second, 1);
    this.connect(second, between);
    this.connect(first, header);
    this.connect(footer, from);
    return this.addStraight(footer, 1);
  }
}
