/** What a connection counts for itself, or all of them together. */
export class Statistics {
  constructor() {
    this.clear();
  }

  clear() {
    this.commands = 0;
    this.hits = 0;
    this.misses = 0;
    this.evictions = 0;
    this.sets = 0;
    this.chainSteps = 0;
  }

  /** Takes what another has counted, which begins again. */
  take(other) {
    for (const name of Object.keys(this)) this[name] += other[name];
    other.clear();
  }
}
