// The counters of contract.md.

export const counts = { elements: 0, steps: 0 };
