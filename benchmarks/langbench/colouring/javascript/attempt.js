// An attempt to colour a graph, in both of its forms.

import { ascending, Graph } from './graph.js';

export const FAILED = -1;

export const counts = { attempts: 0, subgraphs: 0, vertices: 0, edges: 0, probes: 0 };

/** One attempt to colour a graph with a given k. */
export class Attempt {
  constructor() {
    counts.attempts++; // tick
    this.colours = new Map();
  }

  /** Colours the graph from `first` on; the first colour then free, FAILED if k is too few. */
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
    for (const u of vertices) {
      counts.vertices++; // tick
      degrees.set(u, neighbours.get(u).size);
    }
    return degrees;
  }

  /** The least of the vertices of the greatest degree. */
  widest({ vertices }, degrees) {
    let hub = 0;
    let greatest = 0;
    for (const u of vertices) {
      counts.probes++; // tick
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
    counts.subgraphs++; // tick
    counts.vertices++; // tick
    const members = new Set();
    for (const w of neighbours.get(hub)) {
      counts.probes++; // tick
      if (degrees.has(w)) members.add(w);
    }
    const inner = new Graph(ascending(members), new Map());
    for (const u of inner.vertices) {
      counts.vertices++; // tick
      inner.neighbours.set(u, this.intersection(neighbours.get(u), members));
    }
    return inner;
  }

  intersection(a, b) {
    if (a.size > b.size) return this.intersection(b, a);
    const common = new Set();
    for (const w of a) {
      counts.probes++; // tick
      if (b.has(w)) common.add(w);
    }
    return common;
  }

  remove({ neighbours }, degrees, hub, inner) {
    degrees.delete(hub);
    for (const u of inner.vertices) degrees.delete(u);
    for (const u of inner.vertices) {
      counts.vertices++; // tick
      for (const w of neighbours.get(u)) {
        counts.edges++; // tick
        counts.probes++; // tick
        const degree = degrees.get(w);
        if (degree !== undefined) degrees.set(w, degree - 1);
      }
    }
  }

  twoColour({ vertices, neighbours }, first) {
    const { colours } = this;
    let end = first + 1;
    for (const root of vertices) {
      counts.probes++; // tick
      if (colours.has(root)) continue;
      colours.set(root, first);
      let odd = false;
      const queue = [root];
      for (const u of queue) {
        counts.vertices++; // tick
        counts.probes++; // tick
        const other = 2 * first + 1 - colours.get(u);
        for (const w of neighbours.get(u)) {
          counts.edges++; // tick
          counts.probes++; // tick
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
      counts.probes++; // tick
      if (!degrees.has(u)) continue;
      counts.vertices++; // tick
      const taken = new Set();
      for (const w of neighbours.get(u)) {
        counts.edges++; // tick
        counts.probes++; // tick
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
