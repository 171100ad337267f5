package newspeak.actors;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock-free queue for many senders and one receiver: a linked list whose newest message is
 * exchanged atomically and then linked (Vyukov's intrusive queue). Between these two steps of a
 * sender the queue is not empty, but its end cannot be reached yet: the receiver waits briefly.
 */
final class Mailbox {
  private static final VarHandle NEWEST;

  static {
    try {
      NEWEST = MethodHandles.lookup().findVarHandle(Mailbox.class, "newest", Message.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private static final class Taken extends Message {
    @Override
    void execute(Actor actor) {
      throw new IllegalStateException("a taken message has no turn");
    }
  }

  /** The message that was taken last. */
  private Message oldest = new Taken();
  private volatile Message newest = oldest;

  void add(Message message) {
    Message before = (Message) NEWEST.getAndSet(this, message);
    before.next = message;
  }

  boolean isEmpty() {
    return oldest == newest;
  }

  /** The oldest message, or null. Called by the receiver alone. */
  Message take() {
    Message next = oldest.next;
    while (next == null) {
      if (oldest == newest) {
        return null;
      }
      Thread.onSpinWait();
      next = oldest.next;
    }
    oldest.next = null;
    oldest = next;
    return next;
  }
}
