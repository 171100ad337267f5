// Graphs over hash tables, and how one is read.

import { readInput, UsageError } from '../../../harness/javascript/harness.js';

const GREATEST_ID = 2 ** 32 - 1;

/** `vertices` are ids in ascending order, `neighbours` a Map from each to a Set. */
export class Graph {
  constructor(vertices, neighbours) {
    this.vertices = vertices;
    this.neighbours = neighbours;
  }
}

export function ascending(ids) {
  return Array.from(ids).sort((a, b) => a - b);
}

/** The graph of an edge list. Throws UsageError. */
export function readGraph(path) {
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
  return new Graph(ascending(neighbours.keys()), neighbours);
}

function join(neighbours, u, v) {
  const set = neighbours.get(u);
  if (set === undefined) neighbours.set(u, new Set([v]));
  else set.add(v);
}

function badLine(index, what) {
  return new UsageError(`line ${index + 1} of the input: ${what}; take a SNAP edge list`);
}
