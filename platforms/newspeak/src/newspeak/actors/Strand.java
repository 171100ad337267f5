package newspeak.actors;

/** A thread of an actor, or the actor's turn: one of them runs at a time. */
final class Strand {
  /** What the thread is in the language; null for the turn. */
  private final Object thread;
  /** The Java thread that runs it; null before the first one does. */
  Thread carrier;
  /** When it began to wait, as a count of such beginnings. */
  long since;
  /** Whether it is the one that must not wait, because all wait. */
  boolean refused;

  Strand(Object thread) {
    this.thread = thread;
  }

  Object thread() {
    return thread;
  }
}
