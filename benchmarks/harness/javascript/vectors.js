// Checks the harness against the test vectors: node vectors.js vectors.json

import fs from 'fs';
import { Fnv1a, SplitMix64 } from './harness.js';

function hexadecimal(random) {
  const bits = (BigInt(random.high >>> 0) << 32n) | BigInt(random.low >>> 0);
  return bits.toString(16).padStart(16, '0');
}

const checks = {
  splitmix64({ seed, next }) {
    const random = new SplitMix64(BigInt(seed));
    const drawn = next.map(() => {
      random.next();
      return hexadecimal(random);
    });
    return [drawn, next];
  },
  bounded({ seed, bounds, values }) {
    const random = new SplitMix64(BigInt(seed));
    return [bounds.map((bound) => random.bounded(bound)), values];
  },
  shuffle({ seed, length, order }) {
    const array = Array.from({ length }, (_, index) => index);
    new SplitMix64(BigInt(seed)).shuffle(array);
    return [array, order];
  },
  fnv1a({ text, digest }) {
    const hash = new Fnv1a();
    hash.bytes(Buffer.from(text));
    const found = [hash.digest()];
    if (/^[\0-\x7f]*$/.test(text)) {
      const fromText = new Fnv1a();
      fromText.ascii(text);
      found.push(fromText.digest());
    }
    return [found, found.map(() => digest)];
  },
};

function failures(vectors) {
  const failed = [];
  for (const primitive of Object.keys(checks)) {
    if (vectors[primitive].length === 0) failed.push(`${primitive}: the file has no vectors`);
    for (const vector of vectors[primitive]) {
      const [found, expected] = checks[primitive](vector).map((side) => JSON.stringify(side));
      if (found !== expected) {
        failed.push(`${primitive} ${JSON.stringify(vector)}: found ${found}`);
      }
    }
  }
  return failed;
}

const failed = failures(JSON.parse(fs.readFileSync(process.argv[2], 'utf8')));
for (const failure of failed) console.log(failure);
if (failed.length === 0) console.log('vectors ok');
process.exitCode = failed.length === 0 ? 0 : 1;
