package newspeak.actors;

/** Gives turns to actors. */
interface Scheduler {
  Actor newActor();

  /** An actor has messages and is not running. */
  void ready(Actor actor);

  /** Sends a message later. */
  void after(long milliseconds, Actor actor, Message message);

  /** Begins; the program's end is told when nothing can happen any more. */
  void start(Program program);

  /** How many threads run actors. */
  int threads();

  /** Whether no actor has a message, and none will come. */
  boolean isIdle();

  void stop();
}
