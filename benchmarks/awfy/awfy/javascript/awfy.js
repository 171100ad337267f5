// The benchmarks of awfy/awfy/contract.md; the form says which one.

import { main } from '../../../harness/javascript/harness.js';
import { Fnv1a } from '../../../harness/javascript/primitives.js';
import { Bounce } from './bounce.js';
import { CD } from './cd.js';
import { counts } from './counts.js';
import { DeltaBlue } from './deltablue.js';
import { Havlak } from './havlak.js';
import { Json } from './json.js';
import { List } from './list.js';
import { Mandelbrot } from './mandelbrot.js';
import { NBody } from './nbody.js';
import { Permute } from './permute.js';
import { Queens } from './queens.js';
import { Richards } from './richards.js';
import { Sieve } from './sieve.js';
import { Storage } from './storage.js';
import { Towers } from './towers.js';

const BENCHMARKS = {
  bounce: Bounce,
  cd: CD,
  deltablue: DeltaBlue,
  havlak: Havlak,
  json: Json,
  list: List,
  mandelbrot: Mandelbrot,
  nbody: NBody,
  permute: Permute,
  queens: Queens,
  richards: Richards,
  sieve: Sieve,
  storage: Storage,
  towers: Towers,
};

main({
  name: 'awfy',
  tier: 'standard',
  maxThreads: 1,
  load: (options) => ({
    benchmark: new BENCHMARKS[options.text('form')](options.number('parallel')),
    inner: options.number('inner'),
  }),
  prepare: (task) => task,
  run: ({ benchmark, inner }) => benchmark.run(inner),
  /** The hash of the answer's decimal digits. */
  digest(answer) {
    const hash = new Fnv1a();
    hash.latin1(String(answer));
    return hash.digest();
  },
  counters: () => counts,
});
