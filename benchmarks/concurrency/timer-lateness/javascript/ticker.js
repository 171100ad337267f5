import { setTimeout } from 'timers/promises';

export const nowNs = () => Number(process.hrtime.bigint());

/** Rounded up. Bun warns of a negative time. */
const millisecondsUntil = (dueNs) => Math.max(0, Math.ceil((dueNs - nowNs()) / 1e6));

/** A timer that fires once. Gives how late it is. */
export async function fire(dueNs) {
  let lateNs = -1;
  while (lateNs < 0) {
    await setTimeout(millisecondsUntil(dueNs));
    lateNs = nowNs() - dueNs;
  }
  return lateNs;
}

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
      await setTimeout(millisecondsUntil(this.dueNs));
      const seenNs = nowNs();
      ended = this.burning() === 0;
      for (; this.dueNs <= seenNs; this.dueNs += this.periodNs) {
        this.lateness.record(seenNs - this.dueNs);
      }
    }
  }
}
