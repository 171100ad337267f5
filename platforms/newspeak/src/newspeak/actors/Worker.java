package newspeak.actors;

/** What a Java thread is doing for actors. */
public final class Worker {
  private boolean started;
  private Actor actor;
  private Strand strand; // null while this runs turns
  /** Actors that this thread made ready: the others take some when they have nothing to do. */
  private final ReadyQueue ready = new ReadyQueue();

  public Actor actor() {
    return actor;
  }

  /** The actor's thread that this runs; null while it runs turns. */
  Strand strand() {
    return strand;
  }

  /** What the actor's thread that this runs is in the language; null while it runs turns. */
  public Object thread() {
    return strand == null ? null : strand.thread();
  }

  void start() {
    started = true;
  }

  /** Whether this is a thread that runs actors. */
  boolean isStarted() {
    return started;
  }

  ReadyQueue ready() {
    return ready;
  }

  void enter(Actor entered) {
    actor = entered;
  }

  /** This runs a thread that a turn of the actor spawned. */
  void enter(Actor entered, Strand entering) {
    actor = entered;
    strand = entering;
  }

  void leave() {
    actor = null;
    strand = null;
  }
}
