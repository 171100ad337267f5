// Havlak's search for the loops of a flow graph.

import { counts } from './counts.js';
import { IdentityDictionary } from './identity-dictionary.js';
import { VectorSet } from './vector-set.js';
import { Vector } from './vector.js';

const UNVISITED = 2147483647;
const MOST_PREDECESSORS = 32 * 1024;

const OTHER = 0;
const REDUCIBLE = 1;
const SELF = 2;
const IRREDUCIBLE = 3;
const DEAD = 4;

/** A node of the sets of nodes that have become one loop. */
class Node {
  constructor() {
    this.parent = null;
    this.block = null;
    this.number = 0;
    this.loop = null;
  }

  init(block, number) {
    this.parent = this;
    this.block = block;
    this.number = number;
    this.loop = null;
  }

  /** The set's own node; nodes on the way are put directly below it. */
  find() {
    const passed = new Vector();
    let node = this;
    while (node !== node.parent) {
      counts.steps++; // tick
      if (node.parent !== node.parent.parent) passed.append(node);
      node = node.parent;
    }
    const top = node;
    passed.forEach((one) => {
      one.uniteWith(top);
    });
    return top;
  }

  uniteWith(other) {
    this.parent = other;
  }
}

export class LoopFinder {
  constructor(graph, structure) {
    this.graph = graph;
    this.structure = structure;
    this.otherPredecessors = new Vector();
    this.backPredecessors = new Vector();
    this.numbers = new IdentityDictionary();
    this.header = null;
    this.kind = null;
    this.last = null;
    this.nodes = null;
  }

  findLoops() {
    if (this.graph.start === null) return;
    const size = this.graph.size();
    this.init(size);
    this.graph.blocks.forEach((block) => {
      this.numbers.put(block, UNVISITED);
    });
    this.number(this.graph.start, 0);
    this.classifyEdges(size);
    this.header[0] = 0;
    for (let w = size - 1; w >= 0; w--) {
      if (this.nodes[w].block !== null && !this.findLoop(w)) return;
    }
  }

  init(size) {
    this.otherPredecessors.removeAll();
    this.backPredecessors.removeAll();
    this.numbers.removeAll();
    this.header = new Array(size).fill(0);
    this.kind = new Array(size).fill(OTHER);
    this.last = new Array(size).fill(0);
    this.nodes = new Array(size).fill(null);
    for (let i = 0; i < size; i++) {
      this.otherPredecessors.append(new VectorSet());
      this.backPredecessors.append(new Vector());
      this.nodes[i] = new Node();
    }
  }

  /** Numbers the blocks from here depth first; the last number that was given. */
  number(block, number) {
    counts.steps++; // tick
    this.nodes[number].init(block, number);
    this.numbers.put(block, number);
    let given = number;
    const targets = block.outward;
    for (let i = 0; i < targets.size(); i++) {
      const target = targets.at(i);
      if (this.numbers.get(target) === UNVISITED) given = this.number(target, given + 1);
    }
    this.last[number] = given;
    return given;
  }

  isAncestor(w, v) {
    return w <= v && v <= this.last[w];
  }

  /** Tells edges that lead back to an ancestor from the others. */
  classifyEdges(size) {
    for (let w = 0; w < size; w++) {
      this.header[w] = 0;
      this.kind[w] = OTHER;
      const block = this.nodes[w].block;
      if (block === null) {
        this.kind[w] = DEAD;
      } else if (block.inward.size() > 0) {
        block.inward.forEach((source) => {
          const v = this.numbers.get(source);
          if (v !== UNVISITED) {
            if (this.isAncestor(w, v)) this.backPredecessors.at(w).append(v);
            else this.otherPredecessors.at(w).add(v);
          }
        });
      }
    }
  }

  /** Finds the loop whose header is w, if there is one; false if there are too many edges. */
  findLoop(w) {
    const pool = new Vector();
    this.addBackPredecessors(w, pool);
    const todo = new Vector();
    pool.forEach((node) => {
      todo.append(node);
    });
    if (pool.size() !== 0) this.kind[w] = REDUCIBLE;
    while (!todo.isEmpty()) {
      const x = todo.removeFirst();
      if (this.otherPredecessors.at(x.number).size() > MOST_PREDECESSORS) return false;
      this.addOtherPredecessors(w, pool, todo, x);
    }
    if (pool.size() > 0 || this.kind[w] === SELF) {
      const loop = this.structure.add(this.nodes[w].block, this.kind[w] !== IRREDUCIBLE);
      this.unite(w, pool, loop);
    }
    return true;
  }

  addBackPredecessors(w, pool) {
    this.backPredecessors.at(w).forEach((v) => {
      if (v !== w) pool.append(this.nodes[v].find());
      else this.kind[w] = SELF;
    });
  }

  addOtherPredecessors(w, pool, todo, x) {
    this.otherPredecessors.at(x.number).forEach((v) => {
      const y = this.nodes[v].find();
      if (!this.isAncestor(w, y.number)) {
        this.kind[w] = IRREDUCIBLE;
        this.otherPredecessors.at(w).add(y.number);
      } else if (y.number !== w && !pool.hasSome((node) => node === y)) {
        todo.append(y);
        pool.append(y);
      }
    });
  }

  /** The nodes of a loop become one; loops that they belong to are in this loop. */
  unite(w, pool, loop) {
    this.nodes[w].loop = loop;
    pool.forEach((node) => {
      this.header[node.number] = w;
      node.uniteWith(this.nodes[w]);
      if (node.loop !== null) node.loop.putInto(loop);
      else loop.add(node.block);
    });
  }
}
