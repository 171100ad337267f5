// Wigderson's graph colouring over hash tables: langbench/colouring/contract.md.

import { Fnv1a, main, oneOf, readInput, UsageError } from '../../../harness/javascript/harness.js';

const FORMS = ['iterative', 'recursive'];
const GREATEST_ID = 2 ** 32 - 1;
const FAILED = -1;

// A graph is {vertices, neighbours}: ids in ascending order, and a Map from each to a Set.

/** One attempt to colour a graph with a given k. */
class Attempt {
  constructor() {
    this.colours = new Map();
  }

  /** Colours the graph from `first` on; the first colour then free, FAILED where k is too few. */
  recursive(graph, k, first) {
    if (k === 2) return this.twoColour(graph, first);
    const degrees = this.degreesOf(graph);
    let end = first;
    while (true) {
      const { hub, degree } = this.widest(graph, degrees);
      if (!isWide(degree, graph.vertices.length, k)) {
        return Math.max(end, this.greedy(graph, degrees, first));
      }
      const inner = this.neighbourhood(graph, degrees, hub);
      const free = this.recursive(inner, k - 1, first);
      if (free === FAILED) return FAILED;
      this.colours.set(hub, free);
      end = free + 1;
      this.remove(graph, degrees, hub, inner);
      first = free; // the hub has no neighbour left: its colour serves again
    }
  }

  /** Does what `recursive` does, from a stack of its own. */
  iterative(graph, k) {
    const stack = [new Frame(graph, k, 0)];
    let free = 0;
    while (stack.length > 0) {
      const frame = stack[stack.length - 1];
      if (frame.k === 2) {
        free = this.twoColour(frame.graph, frame.first);
        if (free === FAILED) return FAILED;
        stack.pop();
        continue;
      }
      if (frame.degrees === null) {
        frame.degrees = this.degreesOf(frame.graph);
      } else {
        this.colours.set(frame.hub, free);
        frame.end = free + 1;
        this.remove(frame.graph, frame.degrees, frame.hub, frame.inner);
        frame.first = free;
      }
      const { hub, degree } = this.widest(frame.graph, frame.degrees);
      if (isWide(degree, frame.graph.vertices.length, frame.k)) {
        frame.hub = hub;
        frame.inner = this.neighbourhood(frame.graph, frame.degrees, hub);
        stack.push(new Frame(frame.inner, frame.k - 1, frame.first));
      } else {
        free = Math.max(frame.end, this.greedy(frame.graph, frame.degrees, frame.first));
        stack.pop();
      }
    }
    return free;
  }

  degreesOf({ vertices, neighbours }) {
    const degrees = new Map();
    for (const u of vertices) degrees.set(u, neighbours.get(u).size);
    return degrees;
  }

  /** The least of the vertices of the greatest degree. */
  widest({ vertices }, degrees) {
    let hub = 0;
    let greatest = 0;
    for (const u of vertices) {
      const degree = degrees.get(u);
      if (degree > greatest) {
        hub = u;
        greatest = degree;
      }
    }
    return { hub, degree: greatest };
  }

  /** The graph on N(hub), the hub itself not in it. */
  neighbourhood({ neighbours }, degrees, hub) {
    const members = new Set();
    for (const w of neighbours.get(hub)) if (degrees.has(w)) members.add(w);
    const inner = { vertices: ascending(members), neighbours: new Map() };
    for (const u of inner.vertices) {
      inner.neighbours.set(u, this.intersection(neighbours.get(u), members));
    }
    return inner;
  }

  intersection(a, b) {
    if (a.size > b.size) return this.intersection(b, a);
    const common = new Set();
    for (const w of a) if (b.has(w)) common.add(w);
    return common;
  }

  remove({ neighbours }, degrees, hub, inner) {
    degrees.delete(hub);
    for (const u of inner.vertices) degrees.delete(u);
    for (const u of inner.vertices) {
      for (const w of neighbours.get(u)) {
        const degree = degrees.get(w);
        if (degree !== undefined) degrees.set(w, degree - 1);
      }
    }
  }

  twoColour({ vertices, neighbours }, first) {
    const { colours } = this;
    let end = first + 1;
    for (const root of vertices) {
      if (colours.has(root)) continue;
      colours.set(root, first);
      let odd = false;
      const queue = [root];
      for (const u of queue) {
        const other = 2 * first + 1 - colours.get(u);
        for (const w of neighbours.get(u)) {
          const colour = colours.get(w);
          if (colour === undefined) {
            colours.set(w, other);
            end = first + 2;
            queue.push(w);
          } else if (colour !== other) {
            odd = true;
          }
        }
      }
      if (odd) return FAILED;
    }
    return end;
  }

  /** Gives one vertex after the other the least colour from `first` on that no neighbour has. */
  greedy({ vertices, neighbours }, degrees, first) {
    const { colours } = this;
    let end = first;
    for (const u of vertices) {
      if (!degrees.has(u)) continue;
      const taken = new Set();
      for (const w of neighbours.get(u)) {
        const colour = colours.get(w);
        if (colour !== undefined) taken.add(colour);
      }
      let colour = first;
      while (taken.has(colour)) colour++;
      colours.set(u, colour);
      end = Math.max(end, colour + 1);
    }
    return end;
  }
}

/** A call of `recursive`, with its arguments and variables. */
class Frame {
  constructor(graph, k, first) {
    this.graph = graph;
    this.k = k;
    this.first = first;
    this.end = first;
    this.degrees = null;
    this.hub = 0;
    this.inner = null;
  }
}

/** Whether degree ≥ n ** (1 − 1 / (k − 1)). */
function isWide(degree, n, k) {
  let product = degree;
  for (let i = 2; i < k; i++) product *= degree / n;
  return product >= 1;
}

function ascending(ids) {
  return Array.from(ids).sort((a, b) => a - b);
}

/** Never made in a timed process, so that the engine sees but one kind of attempt there. */
class CountingAttempt extends Attempt {
  constructor(counters) {
    super();
    this.counters = counters;
  }

  degreesOf({ vertices, neighbours }) {
    const degrees = new Map();
    for (const u of vertices) {
      this.counters.vertices++;
      degrees.set(u, neighbours.get(u).size);
    }
    return degrees;
  }

  widest({ vertices }, degrees) {
    let hub = 0;
    let greatest = 0;
    for (const u of vertices) {
      this.counters.probes++;
      const degree = degrees.get(u);
      if (degree > greatest) {
        hub = u;
        greatest = degree;
      }
    }
    return { hub, degree: greatest };
  }

  neighbourhood({ neighbours }, degrees, hub) {
    const { counters } = this;
    counters.subgraphs++;
    counters.vertices++;
    const members = new Set();
    for (const w of neighbours.get(hub)) {
      counters.probes++;
      if (degrees.has(w)) members.add(w);
    }
    const inner = { vertices: ascending(members), neighbours: new Map() };
    for (const u of inner.vertices) {
      counters.vertices++;
      inner.neighbours.set(u, this.intersection(neighbours.get(u), members));
    }
    return inner;
  }

  intersection(a, b) {
    if (a.size > b.size) return this.intersection(b, a);
    const common = new Set();
    for (const w of a) {
      this.counters.probes++;
      if (b.has(w)) common.add(w);
    }
    return common;
  }

  remove({ neighbours }, degrees, hub, inner) {
    const { counters } = this;
    degrees.delete(hub);
    for (const u of inner.vertices) degrees.delete(u);
    for (const u of inner.vertices) {
      counters.vertices++;
      for (const w of neighbours.get(u)) {
        counters.edges++;
        counters.probes++;
        const degree = degrees.get(w);
        if (degree !== undefined) degrees.set(w, degree - 1);
      }
    }
  }

  twoColour({ vertices, neighbours }, first) {
    const { colours, counters } = this;
    let end = first + 1;
    for (const root of vertices) {
      counters.probes++;
      if (colours.has(root)) continue;
      colours.set(root, first);
      let odd = false;
      const queue = [root];
      for (const u of queue) {
        counters.vertices++;
        counters.probes++;
        const other = 2 * first + 1 - colours.get(u);
        for (const w of neighbours.get(u)) {
          counters.edges++;
          counters.probes++;
          const colour = colours.get(w);
          if (colour === undefined) {
            colours.set(w, other);
            end = first + 2;
            queue.push(w);
          } else if (colour !== other) {
            odd = true;
          }
        }
      }
      if (odd) return FAILED;
    }
    return end;
  }

  greedy({ vertices, neighbours }, degrees, first) {
    const { colours, counters } = this;
    let end = first;
    for (const u of vertices) {
      counters.probes++;
      if (!degrees.has(u)) continue;
      counters.vertices++;
      const taken = new Set();
      for (const w of neighbours.get(u)) {
        counters.edges++;
        counters.probes++;
        const colour = colours.get(w);
        if (colour !== undefined) taken.add(colour);
      }
      let colour = first;
      while (taken.has(colour)) colour++;
      colours.set(u, colour);
      end = Math.max(end, colour + 1);
    }
    return end;
  }
}

function load({ inputs: [path], parameters: { form } }) {
  oneOf(form, FORMS, 'form');
  const neighbours = new Map();
  // A last line that lacks its line feed is a line nevertheless.
  const lines = readInput(path).toString('latin1').replace(/\n$/, '').split('\n');
  lines.forEach((line, index) => {
    if (line.startsWith('#')) return;
    const edge = /^([0-9]{1,10})\t([0-9]{1,10})\r?$/.exec(line) || [line, GREATEST_ID + 1, 0];
    const [u, v] = [Number(edge[1]), Number(edge[2])];
    if (u > GREATEST_ID || v > GREATEST_ID) {
      throw badLine(index, `an edge is two ids from 0 to ${GREATEST_ID} and a tab between`);
    }
    if (u === v) throw badLine(index, `vertex ${u} is joined to itself, and so has no colour`);
    join(neighbours, u, v);
    join(neighbours, v, u);
  });
  if (neighbours.size === 0) {
    throw new UsageError('the input has no edge; make it with generate.py');
  }
  return { graph: { vertices: ascending(neighbours.keys()), neighbours }, form };
}

function join(neighbours, u, v) {
  const set = neighbours.get(u);
  if (set === undefined) neighbours.set(u, new Set([v]));
  else set.add(v);
}

function badLine(index, what) {
  return new UsageError(`line ${index + 1} of the input: ${what}; take a SNAP edge list`);
}

/** No iteration changes the graph. */
function prepare(state) {
  return state;
}

function run(state) {
  return colour(state, () => new Attempt());
}

function count(state) {
  const counters = { attempts: 0, subgraphs: 0, vertices: 0, edges: 0, probes: 0 };
  const result = colour(state, () => {
    counters.attempts++;
    return new CountingAttempt(counters);
  });
  return { result, counters };
}

/** Finds the least k that is enough, each time with an attempt made anew. */
function colour({ graph, form }, makeAttempt) {
  for (let k = 2; ; k++) {
    const attempt = makeAttempt();
    const end = form === 'recursive' ? attempt.recursive(graph, k, 0) : attempt.iterative(graph, k);
    if (end !== FAILED) return { graph, colours: attempt.colours, end };
  }
}

function digest(result) {
  verify(result);
  const hash = new Fnv1a();
  for (const u of result.graph.vertices) hash.ascii(`${result.colours.get(u)}\n`);
  hash.ascii(`${result.end}\n`);
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
  workloads: ['youtube', 'layered'],
  parameters: { form: { preset: 'iterative' } },
  inputs: 1,
  load,
  prepare,
  run,
  count,
  digest,
});
