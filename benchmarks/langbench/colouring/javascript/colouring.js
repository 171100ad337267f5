// Wigderson's graph colouring over hash tables: langbench/colouring/contract.md.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../harness/javascript/primitives.js';
import { Attempt, counts, FAILED } from './attempt.js';
import { readGraph } from './graph.js';

function load(options) {
  return { graph: readGraph(options.text('input')), form: options.text('form') };
}

/** No iteration changes the graph. */
function prepare(state) {
  return state;
}

/** Finds the least k that is enough, each time with an attempt made anew. */
function run({ graph, form }) {
  for (let k = 2; ; k++) {
    const attempt = new Attempt();
    const end = form === 'recursive' ? attempt.recursive(graph, k, 0) : attempt.iterative(graph, k);
    if (end !== FAILED) return { graph, colours: attempt.colours, end };
  }
}

function digest(result) {
  verify(result);
  const hash = new Fnv1a();
  for (const u of result.graph.vertices) hash.latin1(`${result.colours.get(u)}\n`);
  hash.latin1(`${result.end}\n`);
  return hash.digest();
}

/** Throws where the colouring is not proper. */
function verify({ graph: { vertices, neighbours }, colours, end }) {
  for (const u of vertices) {
    const colour = colours.get(u);
    if (!(colour < end)) throw new Error(`vertex ${u} has colour ${colour} of only ${end}`);
    for (const w of neighbours.get(u)) {
      if (colours.get(w) === colour) {
        throw new Error(`vertices ${u} and ${w} are neighbours of one colour`);
      }
    }
  }
}

main({
  name: 'colouring',
  tier: 'standard',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
