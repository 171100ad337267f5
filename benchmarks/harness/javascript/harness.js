// The program contract (benchmarks/contract.md): options, the lines on standard output, the loop.

import fs from 'fs';
import v8 from 'v8';

const { bun, webkit, v8: engine } = process.versions;
const build = bun ? undefined : process.config; // Bun has one for compatibility alone
const WRITE_INTERVAL_NS = 1e8; // "at most ten times a second"

/** The user's mistake: its message is one line that says what to do, the exit status is 2. */
export class UsageError extends Error {}

/**
 * Runs a benchmark: `name`, `tier`, `maxThreads`, load(options) -> state, prepare(state) -> work,
 * run(work) -> result, digest(result), counters(state) -> {name: integer}; load, run may be async.
 */
export const main = (program) => carryOut(program, iterate);

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

  recorder(distribution) {
    const recorder = new this.Recorder(this.text('samples'), distribution);
    this.recorders = { ...this.recorders, [distribution]: recorder };
    return recorder;
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
export const monotonicNs = () => Number(process.hrtime.bigint() + aheadNs);
const aheadNs = bun ? await aheadOfBun() : 0n;

async function aheadOfBun() {
  const { dlopen } = await import('bun:ffi');
  const libc = dlopen('libc.so.6', { clock_gettime: { args: ['i32', 'ptr'], returns: 'i32' } });
  const time = new BigInt64Array(2);
  libc.symbols.clock_gettime(1, time);
  return time[0] * 1000000000n + time[1] - process.hrtime.bigint();
}

/** Lines for standard output, kept until they are due. */
export class Output {
  constructor(program, threads) {
    this.lines = '';
    this.flushedNs = 0;
    // The affinity mask: Node's own number may ignore it, or obey a quota of CPU time, too.
    const [, mask] = fs.readFileSync('/proc/self/status', 'latin1').match(/^Cpus_allowed:\t(.*)/m);
    const bits = BigInt(`0x${mask.replace(/,/g, '')}`).toString(2);
    this.startedNs = monotonicNs();
    this.say('start', {
      contract: 2,
      benchmark: program.name,
      language: 'javascript',
      tier: program.tier,
      runtime: bun ? `bun ${bun}` : `${process.release.name} ${process.version}`,
      threads,
      processors: bits.replace(/0/g, '').length,
      monotonic_ns: this.startedNs,
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

  /** Writes the lines, if the last time is so long ago. */
  flush(intervalNs = 0) {
    if (monotonicNs() - this.flushedNs < intervalNs) return;
    fs.writeFileSync(1, this.lines);
    this.lines = '';
    this.flushedNs = monotonicNs();
  }
}

/** What is in force. V8 has WebAssembly only with its JIT; Bun's own v8 knows no limit. */
const effective = () => ({
  engine: bun ? `javascriptcore ${webkit}` : `v8 ${engine}`,
  jit: bun ? !/^(0|false|no)$/.test(process.env.BUN_JSC_useJIT) : typeof WebAssembly === 'object',
  heap_max_bytes: bun ? undefined : v8.getHeapStatistics().heap_size_limit,
  flags: [process.env.NODE_OPTIONS ?? '', ...process.execArgv].join(' ').trim(),
  optimisation: build?.target_defaults.default_configuration,
  pgo: build && Boolean(build.variables.enable_pgo_use),
  lto: build && Boolean(build.variables.enable_lto),
});

async function iterate(program, options) {
  const iterations = options.number('iterations');
  const limitNs = options.has('seconds') ? options.number('seconds') * 1e9 : Infinity;
  const inputEnded = iterations === 0 ? watchInput() : () => false;
  const output = new Output(program, Math.min(options.number('threads'), program.maxThreads));
  if (options.has('samples')) options.Recorder = (await import('./recorder.js')).Recorder;
  const state = await program.load(options);
  for (const name in options.recorders) await options.recorders[name].ready;
  let index = 0;
  do {
    output.flush(WRITE_INTERVAL_NS);
    await iteration(program, state, index++, options, output);
  } while (index !== iterations && monotonicNs() - output.startedNs < limitNs && !inputEnded());
  output.say('end', { iterations: index });
  output.flush();
}

async function iteration(program, state, index, options, output) {
  for (const name in options.recorders) options.recorders[name].begin(index);
  const work = program.prepare(state);
  const before = { ...program.counters(state) };
  const startedNs = monotonicNs();
  const cpuStarted = process.cpuUsage();
  let result = program.run(work);
  if (result instanceof Promise) result = await result;
  const cpu = process.cpuUsage(cpuStarted);
  const wallNs = monotonicNs() - startedNs;
  output.say('iteration', {
    index,
    started_monotonic_ns: startedNs,
    wall_ns: wallNs,
    cpu_ns: (cpu.user + cpu.system) * 1000,
    digest: program.digest(result),
    samples: options.recorders, // each gives its cells; without any there is no such field
  });
  if (!options.has('count')) return;
  const counters = { ...program.counters(state) };
  for (const name in counters) counters[name] -= before[name];
  output.say('operations', { counters });
}

/** A function that tells, without waiting, whether standard input has ended. */
function watchInput() {
  // Opened afresh, the descriptor is non-blocking for us alone. Reading by events would let the
  // runtime's own tasks run between iterations, which is a different measurement.
  const descriptor = fs.openSync('/proc/self/fd/0', fs.constants.O_NONBLOCK);
  const buffer = Buffer.alloc(4096);
  return () => {
    try {
      return fs.readSync(descriptor, buffer) === 0;
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      return false;
    }
  };
}
