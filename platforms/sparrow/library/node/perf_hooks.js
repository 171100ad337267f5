// Node's perf_hooks: the global of the same name.

export const { performance } = globalThis;

export default { performance };
