/** What all connections together have done: there is one thread. */
export class Statistics {
  constructor() {
    this.commands = 0;
    this.hits = 0;
    this.misses = 0;
    this.evictions = 0;
    // The others are counted by ticks, for the counters alone.
    this.sets = 0;
    this.gets = 0;
    this.chain_steps = 0;
  }

  counters(entries) {
    const { sets, gets, hits, misses, chain_steps, evictions } = this;
    return { sets, gets, hits, misses, chain_steps, entries, evictions };
  }
}
