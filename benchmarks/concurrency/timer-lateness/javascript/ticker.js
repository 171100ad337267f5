import { setTimeout } from 'timers/promises';

const nowNs = () => Number(process.hrtime.bigint());

/** Records how late it sees each tick, until it has seen the end of all that burns. */
export class Ticker {
  /** Its ticks count from now. `burning` says how many still compute. */
  constructor(periodNs, lateness, burning) {
    this.periodNs = periodNs;
    this.lateness = lateness;
    this.burning = burning;
    this.dueNs = nowNs() + periodNs;
  }

  async run() {
    let ended = false;
    while (!ended) {
      await setTimeout(Math.ceil((this.dueNs - nowNs()) / 1e6));
      const seenNs = nowNs();
      ended = this.burning() === 0;
      for (; this.dueNs <= seenNs; this.dueNs += this.periodNs) {
        this.lateness.record(seenNs - this.dueNs);
      }
    }
  }
}
