// Answers the questions of benchmarks/harness/vectors.txt, which come on standard input.

import fs from 'fs';

import { Fnv1a, SplitMix64 } from './primitives.js';

const answers = {
  splitmix64: (random, count) => Array.from({ length: count }, () => random.hexadecimal()),
  bounded: (random, ...bounds) => bounds.map((bound) => random.bounded(bound)),
  shuffle: (random, length) => random.shuffle([...Array(Number(length)).keys()]),
};

function fnv1a(text) {
  const hash = new Fnv1a();
  hash.latin1(Buffer.from(text).toString('latin1'));
  return [hash.digest()];
}

for (const line of fs.readFileSync(0, 'utf8').trimEnd().split('\n')) {
  const question = line.slice(0, line.lastIndexOf(' ='));
  const [primitive, seed, ...numbers] = question.split(' ');
  const answer =
    primitive === 'fnv1a'
      ? fnv1a(question.slice('fnv1a '.length))
      : answers[primitive](new SplitMix64(BigInt(seed)), ...numbers.map(Number));
  console.log([`${question} =`, ...answer].join(' '));
}
