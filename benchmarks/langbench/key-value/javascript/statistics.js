/** What is counted, of all connections: there is one thread. */
export class Statistics {
  constructor() {
    this.commands = 0;
    this.hits = 0;
    this.misses = 0;
    this.evictions = 0;
    this.sets = 0;
    this.chainSteps = 0;
  }
}
