// The contract's pseudocode over Maps and Sets, in the JavaScript of 2017:
// langbench/colouring/contract.md.

import { main, readInput, UsageError } from '../../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../../harness/javascript/primitives.js';

const FAILED = -1;
const GREATEST_ID = 2 ** 32 - 1;

const counts = { attempts: 0, subgraphs: 0, vertices: 0, edges: 0, probes: 0 };

function colour(graph, form) {
  for (let k = 2; ; k++) {
    counts.attempts++; // tick
    const colours = new Map();
    const paint = form === 'recursive' ? recursive : iterative;
    const end = paint(graph, k, 0, colours);
    if (end !== FAILED) return { graph, colours, end };
  }
}

function recursive(graph, k, first, colours) {
  if (k === 2) return twoColour(graph, first, colours);
  const degrees = degreesOf(graph);
  let end = first;
  for (;;) {
    const { hub, degree } = widest(graph, degrees);
    if (!isWide(degree, graph.vertices.length, k)) {
      return Math.max(end, greedy(graph, degrees, first, colours));
    }
    const inner = neighbourhood(graph, degrees, hub);
    const free = recursive(inner, k - 1, first, colours);
    if (free === FAILED) return FAILED;
    colours.set(hub, free);
    end = free + 1;
    remove(graph, degrees, hub, inner);
    first = free;
  }
}

function newFrame(graph, k, first) {
  return { graph, k, first, end: first, degrees: null, hub: 0, inner: null };
}

function iterative(graph, k, first, colours) {
  const stack = [newFrame(graph, k, first)];
  let free = 0;
  while (stack.length > 0) {
    const frame = stack[stack.length - 1];
    if (frame.k === 2) {
      free = twoColour(frame.graph, frame.first, colours);
      if (free === FAILED) return FAILED;
      stack.pop();
      continue;
    }
    if (frame.degrees === null) {
      frame.degrees = degreesOf(frame.graph);
    } else {
      colours.set(frame.hub, free);
      frame.end = free + 1;
      remove(frame.graph, frame.degrees, frame.hub, frame.inner);
      frame.first = free;
    }
    const { hub, degree } = widest(frame.graph, frame.degrees);
    frame.hub = hub;
    if (isWide(degree, frame.graph.vertices.length, frame.k)) {
      frame.inner = neighbourhood(frame.graph, frame.degrees, hub);
      stack.push(newFrame(frame.inner, frame.k - 1, frame.first));
    } else {
      free = Math.max(frame.end, greedy(frame.graph, frame.degrees, frame.first, colours));
      stack.pop();
    }
  }
  return free;
}

function degreesOf(graph) {
  const degrees = new Map();
  for (const u of graph.vertices) {
    counts.vertices++; // tick
    degrees.set(u, graph.neighbours.get(u).size);
  }
  return degrees;
}

function widest(graph, degrees) {
  let hub = 0;
  let greatest = 0;
  for (const u of graph.vertices) {
    counts.probes++; // tick
    const degree = degrees.get(u);
    if (degree > greatest) {
      hub = u;
      greatest = degree;
    }
  }
  return { hub, degree: greatest };
}

function isWide(degree, n, k) {
  let product = degree;
  for (let i = 0; i < k - 2; i++) product *= degree / n;
  return product >= 1;
}

function neighbourhood(graph, degrees, hub) {
  counts.subgraphs++; // tick
  counts.vertices++; // tick
  const members = new Set();
  for (const w of graph.neighbours.get(hub)) {
    counts.probes++; // tick
    if (degrees.has(w)) members.add(w);
  }
  const inner = { vertices: Array.from(members).sort((a, b) => a - b), neighbours: new Map() };
  for (const u of inner.vertices) {
    counts.vertices++; // tick
    inner.neighbours.set(u, intersection(graph.neighbours.get(u), members));
  }
  return inner;
}

function intersection(a, b) {
  if (a.size > b.size) return intersection(b, a);
  const common = new Set();
  for (const w of a) {
    counts.probes++; // tick
    if (b.has(w)) common.add(w);
  }
  return common;
}

function remove(graph, degrees, hub, inner) {
  degrees.delete(hub);
  for (const u of inner.vertices) degrees.delete(u);
  for (const u of inner.vertices) {
    counts.vertices++; // tick
    for (const w of graph.neighbours.get(u)) {
      counts.edges++; // tick
      counts.probes++; // tick
      const degree = degrees.get(w);
      if (degree !== undefined) degrees.set(w, degree - 1);
    }
  }
}

function twoColour(graph, first, colours) {
  let end = first + 1;
  for (const root of graph.vertices) {
    counts.probes++; // tick
    if (colours.has(root)) continue;
    colours.set(root, first);
    let odd = false;
    const queue = [root];
    for (const u of queue) {
      counts.vertices++; // tick
      counts.probes++; // tick
      const other = 2 * first + 1 - colours.get(u);
      for (const w of graph.neighbours.get(u)) {
        counts.edges++; // tick
        counts.probes++; // tick
        const held = colours.get(w);
        if (held === undefined) {
          colours.set(w, other);
          end = first + 2;
          queue.push(w);
        } else if (held !== other) {
          odd = true;
        }
      }
    }
    if (odd) return FAILED;
  }
  return end;
}

function greedy(graph, degrees, first, colours) {
  let end = first;
  for (const u of graph.vertices) {
    counts.probes++; // tick
    if (!degrees.has(u)) continue;
    counts.vertices++; // tick
    const taken = new Set();
    for (const w of graph.neighbours.get(u)) {
      counts.edges++; // tick
      counts.probes++; // tick
      const held = colours.get(w);
      if (held !== undefined) taken.add(held);
    }
    let free = first;
    while (taken.has(free)) free++;
    colours.set(u, free);
    end = Math.max(end, free + 1);
  }
  return end;
}

function load(options) {
  const lines = readInput(options.text('input')).toString('latin1').split('\n');
  if (lines.length > 1 && lines[lines.length - 1] === '') lines.pop();
  const neighbours = new Map();
  lines.forEach((line, index) => {
    if (line.startsWith('#')) return;
    const edge = /^([0-9]{1,10})\t([0-9]{1,10})\r?$/.exec(line);
    if (edge === null || Number(edge[1]) > GREATEST_ID || Number(edge[2]) > GREATEST_ID) {
      throw badLine(index, `an edge is two ids from 0 to ${GREATEST_ID} and a tab between`);
    }
    const u = Number(edge[1]);
    const v = Number(edge[2]);
    if (u === v) throw badLine(index, `vertex ${u} is joined to itself, and so has no colour`);
    if (!neighbours.has(u)) neighbours.set(u, new Set());
    if (!neighbours.has(v)) neighbours.set(v, new Set());
    neighbours.get(u).add(v);
    neighbours.get(v).add(u);
  });
  if (neighbours.size === 0) {
    throw new UsageError('the input has no edge; make it with generate.py');
  }
  const vertices = Array.from(neighbours.keys()).sort((a, b) => a - b);
  return { graph: { vertices, neighbours }, form: options.text('form') };
}

function badLine(index, what) {
  return new UsageError(`line ${index + 1} of the input: ${what}; take a SNAP edge list`);
}

function prepare(task) {
  return task;
}

function run({ graph, form }) {
  return colour(graph, form);
}

/** Throws if the colouring is not proper. */
function verify({ graph, colours, end }) {
  for (const u of graph.vertices) {
    const colour = colours.get(u);
    if (!(colour < end)) throw new Error(`vertex ${u} has colour ${colour} of only ${end}`);
    for (const w of graph.neighbours.get(u)) {
      if (colours.get(w) === colour) {
        throw new Error(`vertices ${u} and ${w} are neighbours of one colour`);
      }
    }
  }
}

function digest(answer) {
  verify(answer);
  const { graph, colours, end } = answer;
  const hash = new Fnv1a();
  for (const u of graph.vertices) hash.latin1(`${colours.get(u)}\n`);
  hash.latin1(`${end}\n`);
  return hash.digest();
}

main({
  name: 'colouring',
  tier: 'plain',
  maxThreads: 1,
  load,
  prepare,
  run,
  digest,
  counters: () => counts,
});
