package newspeak.actors;

/** One turn of an actor. */
public abstract class Message {
  /** For the mailbox: the message that came after this one. */
  volatile Message next;

  /** Runs the turn; the actor is the current one. */
  abstract void execute(Actor actor);
}
