// Answers the questions of benchmarks/harness/vectors.txt, which come on standard input.

import fs from 'fs';

import { Fnv1a, SplitMix64 } from './primitives.js';
import { cellOf } from './recorder.js';

const answers = {
  splitmix64: (random, count) => Array.from({ length: count }, () => random.hexadecimal()),
  bounded: (random, ...bounds) => bounds.map((bound) => random.bounded(bound)),
  shuffle: (random, length) => random.shuffle([...Array(length).keys()]),
};

function answer(primitive, told) {
  if (primitive === 'fnv1a') {
    const hash = new Fnv1a();
    hash.latin1(Buffer.from(told).toString('latin1'));
    return [hash.digest()];
  }
  const numbers = told.split(' ').map(Number);
  if (primitive === 'cell') return numbers.map(cellOf);
  return answers[primitive](new SplitMix64(BigInt(told.split(' ')[0])), ...numbers.slice(1));
}

for (const line of fs.readFileSync(0, 'utf8').trimEnd().split('\n')) {
  const question = line.slice(0, line.lastIndexOf(' ='));
  const [, primitive, told] = question.match(/^(\w+) ?(.*)$/);
  console.log([`${question} =`, ...answer(primitive, told)].join(' '));
}
