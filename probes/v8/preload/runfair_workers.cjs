// Lets every worker thread load the module `preload` before its program. A worker with an `env` or
// `execArgv` of its own does not inherit the options of its parent. The worker restores what its
// program sees of both.
"use strict";

const threads = require("node:worker_threads");

/** The options of a worker with the additional option; unchanged if the worker inherits it. */
function extended(options, option) {
  if (Array.isArray(options?.execArgv)) {
    return { ...options, execArgv: [...options.execArgv, option] };
  }
  if (typeof options?.env !== "object" || options.env === null || options.env === process.env) {
    return options;
  }
  const given = options.env.NODE_OPTIONS;
  const all = given === undefined ? option : `${option} ${given}`;
  return { ...options, env: { ...options.env, NODE_OPTIONS: all } };
}

function restore(option) {
  if (process.execArgv.at(-1) === option) process.execArgv.pop();
  const given = process.env.NODE_OPTIONS;
  if (given === option) delete process.env.NODE_OPTIONS;
  else if (given?.startsWith(`${option} `)) {
    process.env.NODE_OPTIONS = given.slice(option.length + 1);
  }
}

function follow(preload) {
  const option = `--require=${preload}`;
  if (!threads.isMainThread) restore(option);
  const { Worker } = threads;
  threads.Worker = new Proxy(Worker, {
    construct(target, [file, options, ...rest], made) {
      return Reflect.construct(target, [file, extended(options, option), ...rest], made);
    },
  });
  Worker.prototype.constructor = threads.Worker;
  require("node:module").syncBuiltinESMExports();
}

module.exports = { follow };
