// The program contract (benchmarks/contract.md): options, the lines on standard output, the loop.

import fs from 'fs';
import os from 'os';
import { performance } from 'perf_hooks';
import v8 from 'v8';

const { bun, webkit, v8: engine } = process.versions;
const WRITE_INTERVAL_NS = 100000000n; // "at most ten times a second"

/** The user's mistake: its message is one line that says what to do, the exit status is 2. */
export class UsageError extends Error {}

/**
 * Runs a benchmark: `name`, `tier`, `maxThreads`, load(options) -> state, prepare(state) -> work,
 * run(work) -> result, digest(result), and counters(state) -> {name: integer}, what has been counted
 * so far. load and run may be asynchronous.
 */
export function main(program) {
  carryOut(program, iterate);
}

/** Calls an asynchronous function with the program and its options. */
export async function carryOut(program, perform) {
  try {
    await perform(program, new Options(program.name));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    fs.writeSync(2, `${program.name}: ${error.message}\n`);
    process.exit(2);
  }
}

class Options extends Map {
  constructor(benchmark) {
    super(process.argv.slice(2).map((word) => word.split(/=(.*)/s)));
    this.benchmark = benchmark;
  }

  text(name) {
    if (this.has(name)) return this.get(name);
    const whole = `./runfair exec ${this.benchmark} --print shows a whole command`;
    throw new UsageError(`option ${name}=VALUE is missing; ${whole}`);
  }

  number(name) {
    return Number(this.text(name));
  }
}

/** What `read` gives of the input. Throws UsageError if the system refuses it. */
export function readInput(path, read = fs.readFileSync) {
  try {
    return read(path);
  } catch (error) {
    if (typeof error.code !== 'string') throw error;
    throw new UsageError(`input ${JSON.stringify(path)} cannot be read: ${error.code}`);
  }
}

/** CLOCK_MONOTONIC, which Node's hrtime reads; Bun's counts from the start of its process. */
const monotonicNs = () => process.hrtime.bigint() + aheadNs;
const aheadNs = bun ? await aheadOfBun() : 0n;

async function aheadOfBun() {
  const { dlopen } = await import('bun:ffi');
  const clock = { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } };
  const time = new BigInt64Array(2);
  dlopen('libc.so.6', clock).symbols.clock_gettime(1, time);
  return time[0] * 1000000000n + time[1] - process.hrtime.bigint();
}

/** Lines for standard output, kept until they are due or the program ends. */
export class Output {
  constructor(program, threads) {
    this.lines = '';
    this.startedNs = monotonicNs();
    this.say('start', {
      contract: 2,
      benchmark: program.name,
      language: 'javascript',
      tier: program.tier,
      runtime: bun ? `bun ${bun}` : `node ${process.version}`,
      threads,
      processors: os.availableParallelism ? os.availableParallelism() : os.cpus().length,
      monotonic_ns: Number(this.startedNs),
      realtime_ns: Math.round((performance.timeOrigin + performance.now()) * 1000) * 1000,
      // getrusage, in microseconds: user and system time together step by one, for the kernel
      // scales the two to the scheduler's exact sum (kernel/sched/cputime.c).
      cpu_clock_resolution_ns: 1000,
      effective: effective(),
    });
  }

  say(event, fields) {
    this.lines += `${JSON.stringify({ event, ...fields })}\n`;
  }

  flush() {
    fs.writeFileSync(1, this.lines);
    this.lines = '';
    this.flushedNs = monotonicNs();
  }
}

/** What is in force. Bun has process.config and v8 for compatibility: they say nothing of it. */
function effective() {
  const flags = `${process.env.NODE_OPTIONS || ''} ${process.execArgv.join(' ')}`.trim();
  const jit = bun
    ? !['0', 'false', 'no'].includes(process.env.BUN_JSC_useJIT)
    : !/--jitless(?!.*--no[-_]?jitless)/.test(flags); // the last one wins
  const execution = jit ? 'mixed' : 'jitless';
  if (bun) return { engine: `javascriptcore ${webkit}`, execution, jit, flags };
  const { variables, target_defaults: build } = process.config;
  return {
    engine: `v8 ${engine}`,
    optimisation: build.default_configuration,
    pgo: Boolean(variables.enable_pgo_use),
    lto: Boolean(variables.enable_lto),
    heap_max_bytes: v8.getHeapStatistics().heap_size_limit,
    execution,
    jit,
    flags,
  };
}

async function iterate(program, options) {
  const iterations = options.number('iterations');
  const limitNs = options.has('seconds') ? options.number('seconds') * 1e9 : Infinity;
  const inputEnded = iterations === 0 ? watchInput() : () => false;
  const output = new Output(program, Math.min(options.number('threads'), program.maxThreads));
  const state = await program.load(options);
  output.flush();
  let index = 0;
  while (true) {
    await iteration(program, state, index++, options.has('count'), output);
    const nowNs = monotonicNs();
    if (index === iterations || nowNs - output.startedNs >= limitNs || inputEnded()) break;
    if (nowNs - output.flushedNs >= WRITE_INTERVAL_NS) output.flush();
  }
  output.say('end', { iterations: index });
  output.flush();
}

async function iteration(program, state, index, counting, output) {
  const work = program.prepare(state);
  const before = counting && { ...program.counters(state) };
  const startedNs = monotonicNs();
  const cpuStarted = process.cpuUsage();
  let result = program.run(work);
  if (result instanceof Promise) result = await result;
  const cpu = process.cpuUsage(cpuStarted);
  const wallNs = monotonicNs() - startedNs;
  output.say('iteration', {
    index,
    started_monotonic_ns: Number(startedNs),
    wall_ns: Number(wallNs),
    cpu_ns: (cpu.user + cpu.system) * 1000,
    digest: program.digest(result),
  });
  if (!counting) return;
  const counters = { ...program.counters(state) };
  for (const name of Object.keys(counters)) counters[name] -= before[name];
  output.say('operations', { counters });
}

/** A function that tells, without waiting, whether standard input has ended. */
function watchInput() {
  // Opened afresh, the descriptor is non-blocking for us alone: a mode set on descriptor 0 would be
  // shared with all who have that terminal or pipe open. Reading by events would instead let the
  // runtime's own tasks run between iterations, which is a different measurement.
  const descriptor = fs.openSync('/proc/self/fd/0', fs.constants.O_NONBLOCK);
  const buffer = Buffer.alloc(4096);
  let ended = false;
  return () => {
    try {
      while (!ended) ended = fs.readSync(descriptor, buffer) === 0;
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
    return ended;
  };
}
