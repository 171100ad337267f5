package newspeak.actors;

import newspeak.objects.SPromise;

/** What happens when a promise has an outcome. */
public interface Reaction {
  /** Sends what is to be sent; runs nothing of the program. */
  void settled(SPromise promise, SPromise.Outcome outcome, Promises.Settling settling);

  /** Chained promises come after all others. */
  default boolean isChain() {
    return false;
  }
}
