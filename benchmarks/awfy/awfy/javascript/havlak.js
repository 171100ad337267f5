// Loops of a flow graph; the answer is the number of loops times 10000, and of blocks.

import { FlowGraph } from './flow-graph.js';
import { LoopFinder } from './loop-finder.js';
import { LoopStructure } from './loop-structure.js';

const SEARCHES = 50;
const NESTED = 5;

export class Havlak {
  constructor(parallel) {
    this.parallel = parallel;
  }

  run(repetitions) {
    const graph = new FlowGraph();
    const structure = new LoopStructure();
    graph.block(0);
    graph.addLoops(0);
    graph.block(1);
    graph.connect(0, 2);
    for (let i = 0; i < repetitions; i++) new LoopFinder(graph, structure).findLoops();
    this.addTrees(graph);
    new LoopFinder(graph, structure).findLoops();
    for (let i = 0; i < SEARCHES; i++) new LoopFinder(graph, new LoopStructure()).findLoops();
    structure.nest();
    return structure.size() * 10000 + graph.size();
  }

  addTrees(graph) {
    let n = 2;
    for (let i = 0; i < this.parallel; i++) {
      graph.block(n + 1);
      graph.connect(2, n + 1);
      n++;
      for (let j = 0; j < this.parallel; j++) {
        const top = n;
        n = graph.addStraight(n, 1);
        for (let k = 0; k < NESTED; k++) n = graph.addLoops(n);
        const bottom = graph.addStraight(n, 1);
        graph.connect(n, top);
        n = bottom;
      }
      graph.connect(n, 1);
    }
  }
}
