// The JavaScript half of the program contract (benchmarks/contract.md): options, clocks, output,
// the shared primitives and the loop of iterations. Nothing newer than Node 12 understands, because
// the range of runtimes is what is measured: no `?.`, no `??`, no `node:` imports.

import fs from 'fs';
import os from 'os';
import { performance } from 'perf_hooks';
import v8 from 'v8';

const CONTRACT_VERSION = 1;
const GREATEST_INTEGER = 2n ** 63n - 1n; // of what the contract lets a line say
const MOST_THREADS = 2n ** 31n - 1n;
const GREATEST_SECONDS = 2 ** 63 / 1e9;
const GREATEST_SEED = 2n ** 64n - 1n;
const WRITE_INTERVAL_NS = 100000000n; // the contract's "at most ten times a second"

// process.cpuUsage is getrusage, in microseconds; user and system time together step by one (the
// kernel scales the two to the scheduler's exact sum, kernel/sched/cputime.c). It leaves out reaped
// children: a program that starts some must add them.
const CPU_CLOCK_RESOLUTION_NS = 1000;

/** The user's mistake: its message is one line that says what to do, the exit status is 2. */
export class UsageError extends Error {}

/**
 * Carries out a program as its command line asks.
 *
 * `program` has `name`, `workloads` (the first by default `classic`), and where it differs from the
 * default `tier` ('standard'), `parameters` ({name: {least, most, preset}}, or {name: {preset}} for a
 * text, none), `inputs` (how many --input it takes, 0), `maxThreads` (1); and the functions
 *   load(options) -> state       once, may be asynchronous
 *   prepare(state) -> work       untimed, before each iteration
 *   run(work) -> result          timed, may be asynchronous
 *   count(work) -> {result, counters}    instead of run, under --count
 *   digest(result) -> string     16 hexadecimal digits
 *   metrics(result) -> {name: {value, unit}}          optional, into the `iteration` line
 *   samples(result) -> [{name, unit, values | hdr}]   optional, a `sample` line each
 */
export function main(program) {
  perform(program).catch((error) => {
    if (error instanceof UsageError) {
      fs.writeSync(2, `${program.name}: ${error.message}\n`);
      process.exitCode = 2;
    } else {
      // Thrown outside of the promise, for Node before 15 only warns of a rejection and exits with 0.
      setImmediate(() => {
        throw error;
      });
    }
  });
}

/** The bytes of an input file. Throws UsageError where it cannot be read. */
export function readInput(path) {
  try {
    return fs.readFileSync(path);
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    throw new UsageError(`--input ${quote(path)} cannot be read: ${error.code}`);
  }
}

/** SplitMix64 on two halves of 32 bits: arithmetic on BigInt is fifty times slower. */
export class SplitMix64 {
  /** `seed` is a BigInt of at most 64 bits. */
  constructor(seed) {
    this.stateHigh = Number(seed >> 32n) | 0;
    this.stateLow = Number(seed & 0xffffffffn) | 0;
    this.high = 0; // the two halves of the number that next() drew last
    this.low = 0;
  }

  next() {
    const low = (this.stateLow >>> 0) + 0x7f4a7c15;
    this.stateLow = low | 0;
    this.stateHigh = (this.stateHigh + 0x9e3779b9 + (low > 0xffffffff ? 1 : 0)) | 0;
    this.high = this.stateHigh;
    this.low = this.stateLow;
    this.xorShifted(30);
    this.multiply(0xbf58476d, 0x1ce4e5b9);
    this.xorShifted(27);
    this.multiply(0x94d049bb, 0x133111eb);
    this.xorShifted(31);
  }

  xorShifted(bits) {
    this.low ^= (this.low >>> bits) | (this.high << (32 - bits));
    this.high ^= this.high >>> bits;
  }

  multiply(high, low) {
    const a = this.low & 0xffff;
    const b = this.low >>> 16;
    const c = low & 0xffff;
    const d = low >>> 16;
    const middle = b * c + ((a * c) >>> 16); // below 2^32, as the next sums are
    const upper = b * d + (middle >>> 16) + ((a * d + (middle & 0xffff)) >>> 16);
    this.high = (Math.imul(this.low, high) + Math.imul(this.high, low) + upper) | 0;
    this.low = Math.imul(this.low, low);
  }

  /** An integer of [0, n), for 1 ≤ n < 2³². */
  bounded(n) {
    this.next();
    return (this.high >>> 0) % n;
  }

  /** Shuffles an array in place. */
  shuffle(array) {
    for (let i = array.length - 1; i > 0; i--) {
      const j = this.bounded(i + 1);
      const element = array[i];
      array[i] = array[j];
      array[j] = element;
    }
  }
}

/** FNV-1a of 64 bits, on two halves. */
export class Fnv1a {
  constructor() {
    this.high = 0xcbf29ce4 | 0;
    this.low = 0x84222325 | 0;
  }

  /** `bytes` is a Buffer or Uint8Array. */
  bytes(bytes) {
    for (let i = 0; i < bytes.length; i++) this.byte(bytes[i]);
  }

  /** `text` is ASCII: a character is a byte. */
  ascii(text) {
    for (let i = 0; i < text.length; i++) this.byte(text.charCodeAt(i));
  }

  byte(byte) {
    // The prime is 2^40 + 435: multiplied by limbs of 16 bits, so that all stays an integer.
    const low = this.low ^ byte;
    const first = (low & 0xffff) * 435;
    const second = (low >>> 16) * 435 + (first >>> 16);
    this.high = (Math.imul(this.high, 435) + (low << 8) + (second >>> 16)) | 0;
    this.low = (second << 16) | (first & 0xffff);
  }

  /** 16 lower-case hexadecimal digits. */
  digest() {
    const half = (bits) => (bits >>> 0).toString(16).padStart(8, '0');
    return half(this.high) + half(this.low);
  }
}

/** Lines for standard output, kept until they are due or the program ends. */
export class Output {
  constructor() {
    this.lines = '';
    this.writtenNs = process.hrtime.bigint();
  }

  say(event, fields) {
    this.lines += `${json(Object.assign({ event }, fields))}\n`;
  }

  /** To be called between iterations. */
  flushIfDue() {
    if (process.hrtime.bigint() - this.writtenNs >= WRITE_INTERVAL_NS) this.flush();
  }

  flush() {
    let bytes = Buffer.from(this.lines);
    this.lines = '';
    while (bytes.length > 0) {
      try {
        bytes = bytes.subarray(fs.writeSync(1, bytes));
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error; // a full pipe that another made non-blocking
        sleep(1);
      }
    }
    this.writtenNs = process.hrtime.bigint();
  }
}

/** JSON whose integers may be BigInt: nanoseconds since 1970 are past 2⁵³. */
function json(value) {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(json).join(',')}]`;
  const members = Object.keys(value).map((key) => `${JSON.stringify(key)}:${json(value[key])}`);
  return `{${members.join(',')}}`;
}

function sleep(milliseconds) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

async function perform(program) {
  const options = parseOptions(program, process.argv.slice(2));
  const inputEnded = options.untilTold ? watchInput() : () => false;
  const output = new Output();
  const startedNs = process.hrtime.bigint();
  output.say('start', describe(program, options, startedNs));
  const deadlineNs =
    startedNs + BigInt(Math.ceil(Math.min(options.maxSeconds, GREATEST_SECONDS) * 1e9));
  const state = await program.load(options);
  output.flush();
  let index = 0;
  while (true) {
    await iterate(program, options, state, index, output);
    index++;
    if (index >= options.iterations || process.hrtime.bigint() >= deadlineNs || inputEnded()) break;
    output.flushIfDue();
  }
  output.say('end', { iterations: index });
  output.flush();
}

async function iterate(program, options, state, index, output) {
  const run = options.count ? program.count : program.run;
  const work = program.prepare(state);
  const startedNs = process.hrtime.bigint();
  const cpuStarted = process.cpuUsage();
  let result = run(work);
  if (result instanceof Promise) result = await result;
  const cpu = process.cpuUsage(cpuStarted);
  const endedNs = process.hrtime.bigint();
  let counters;
  if (options.count) ({ result, counters } = result);
  const line = {
    index,
    started_monotonic_ns: startedNs,
    wall_ns: endedNs - startedNs,
    cpu_ns: (cpu.user + cpu.system) * 1000,
    digest: program.digest(result),
  };
  if (program.metrics) line.metrics = program.metrics(result);
  output.say('iteration', line);
  if (program.samples) for (const sample of program.samples(result)) output.say('sample', sample);
  if (counters) output.say('operations', { counters });
}

function parseOptions(program, words) {
  const parameters = program.parameters || {};
  const options = {
    workload: 'classic',
    size: 'unnamed',
    seed: 1n,
    threads: 1,
    inputs: [],
    parameters: {},
    iterations: 0, // none said yet
    maxSeconds: Infinity,
    count: false,
    untilTold: false,
  };
  for (const name of Object.keys(parameters)) options.parameters[name] = parameters[name].preset;
  let iterations;
  const take = {
    '--workload': (value) => {
      options.workload = oneOf(value, program.workloads, 'workload');
    },
    '--size': (value) => {
      options.size = value;
    },
    '--seed': (value, option) => {
      options.seed = integer(value, 0n, GREATEST_SEED, option);
    },
    '--threads': (value, option) => {
      options.threads = Number(integer(value, 1n, MOST_THREADS, option));
    },
    '--input': (value) => {
      options.inputs.push(value);
    },
    '--param': (value, option) => {
      const [name, ...rest] = value.split('=');
      if (rest.length === 0)
        throw new UsageError(`${option} takes NAME=VALUE, not ${quote(value)}`);
      const { least, most, preset } = parameters[oneOf(name, Object.keys(parameters), 'parameter')];
      const written = rest.join('=');
      options.parameters[name] =
        typeof preset === 'string'
          ? written
          : Number(integer(written, BigInt(least), BigInt(most), `${option} ${name}`));
    },
    '--iterations': (value, option) => {
      iterations = Number(integer(value, 0n, GREATEST_INTEGER, option));
    },
    '--max-seconds': (value, option) => {
      if (!/^\d+(\.\d+)?$/.test(value) || Number(value) >= GREATEST_SECONDS) {
        throw new UsageError(`${option} takes a decimal number such as 2.5, not ${quote(value)}`);
      }
      options.maxSeconds = Number(value);
    },
  };
  for (let at = 0; at < words.length; at++) {
    const option = words[at];
    if (option === '--count') {
      options.count = true;
      continue;
    }
    const known = [...Object.keys(take), '--count'];
    if (!known.includes(option)) {
      throw new UsageError(`unknown option ${quote(option)}; the options are ${known.join(', ')}`);
    }
    at++;
    if (at === words.length || words[at].startsWith('--')) {
      throw new UsageError(`${option} needs a value after it`);
    }
    take[option](words[at], option);
  }
  const inputs = program.inputs || 0;
  if (options.inputs.length !== inputs) {
    throw new UsageError(`takes ${inputs} --input PATH, not ${options.inputs.length}`);
  }
  options.untilTold = iterations === 0 && !options.count;
  if (options.count) options.iterations = 1;
  else if (iterations > 0) options.iterations = iterations;
  else options.iterations = options.untilTold || options.maxSeconds < Infinity ? Infinity : 1;
  return options;
}

export function quote(value) {
  return JSON.stringify(value); // keeps a message on one line, whatever was typed
}

export function oneOf(name, known, what) {
  if (known.includes(name)) return name;
  if (known.length === 0) throw new UsageError(`has no ${what}s; leave ${quote(name)} out`);
  throw new UsageError(`unknown ${what} ${quote(name)}; it is one of ${known.join(', ')}`);
}

export function integer(value, least, most, what) {
  if (/^\d+$/.test(value) && BigInt(value) >= least && BigInt(value) <= most) return BigInt(value);
  throw new UsageError(`${what} takes an integer from ${least} to ${most}, not ${quote(value)}`);
}

/** A function that tells, without waiting, whether standard input has ended. */
function watchInput() {
  // Opened afresh, the descriptor is non-blocking for us alone: a mode set on descriptor 0 would be
  // shared with whoever else has that terminal or pipe open. Reading by events would instead let
  // the runtime's own tasks run between iterations, which is a different measurement.
  const flags = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK;
  let descriptor;
  try {
    descriptor = fs.openSync('/proc/self/fd/0', flags);
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    throw new UsageError(
      `--iterations 0 cannot watch standard input (${error.code}): make it a pipe, file or terminal`,
    );
  }
  const buffer = Buffer.alloc(4096);
  let ended = false;
  return () => {
    try {
      while (!ended) ended = fs.readSync(descriptor, buffer, 0, buffer.length, null) === 0;
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
    return ended;
  };
}

export function describe(program, options, monotonicNs) {
  const realtimeUs = Math.round((performance.timeOrigin + performance.now()) * 1000);
  const { bun } = process.versions;
  return {
    contract: CONTRACT_VERSION,
    benchmark: program.name,
    language: 'javascript',
    tier: program.tier || 'standard',
    workload: options.workload,
    size: options.size,
    seed: options.seed,
    runtime: bun ? `bun ${bun}` : `node ${process.version}`,
    threads: Math.min(options.threads, program.maxThreads || 1),
    processors: os.availableParallelism ? os.availableParallelism() : os.cpus().length,
    monotonic_ns: monotonicNs,
    realtime_ns: BigInt(realtimeUs) * 1000n,
    cpu_clock_resolution_ns: CPU_CLOCK_RESOLUTION_NS,
    effective: bun ? effectiveInBun() : effectiveInNode(),
  };
}

function effectiveInNode() {
  const flags = (process.env.NODE_OPTIONS || '').split(' ').concat(process.execArgv);
  // V8 takes --jitless, --no-jitless and --nojitless; the last one wins.
  const said = flags.filter((flag) => /^--(no-?)?jitless$/.test(flag.replace(/_/g, '-'))).pop();
  const jit = said === undefined || said.startsWith('--no');
  const { variables, target_defaults: build } = process.config;
  return {
    engine: `v8 ${process.versions.v8}`,
    optimisation: build.default_configuration,
    pgo: Boolean(variables.enable_pgo_use),
    lto: Boolean(variables.enable_lto),
    heap_max_bytes: v8.getHeapStatistics().heap_size_limit,
    execution: jit ? 'mixed' : 'jitless',
    jit,
    flags: flags.filter(Boolean).join(' '),
  };
}

function effectiveInBun() {
  // What Bun's process.config and v8 modules tell is there for compatibility only and is not so of
  // JavaScriptCore, so it is left out.
  const jit = !['0', 'false', 'no'].includes(process.env.BUN_JSC_useJIT);
  return {
    engine: `javascriptcore ${process.versions.webkit}`,
    execution: jit ? 'mixed' : 'jitless',
    jit,
    flags: process.execArgv.join(' '),
  };
}
