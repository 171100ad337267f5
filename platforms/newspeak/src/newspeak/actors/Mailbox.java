package newspeak.actors;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock-free queue for many senders and one receiver: a linked list whose newest message is
 * exchanged atomically and then linked (Vyukov's queue). Between these two steps of a sender the
 * queue is not empty, but its end cannot be reached yet: the receiver waits briefly.
 *
 * <p>A receiver that finds the queue empty closes it: it puts a mark behind the last message. The
 * sender whose message follows the mark knows that the receiver has to be woken.
 */
class Mailbox {
  private static final VarHandle NEWEST;

  static {
    try {
      NEWEST = MethodHandles.lookup().findVarHandle(Mailbox.class, "newest", Message.class);
    } catch (ReflectiveOperationException impossible) {
      throw new ExceptionInInitializerError(impossible);
    }
  }

  private static final class Mark extends Message {
    @Override
    void execute(Actor actor) {
      throw new IllegalStateException("the mark of a closed mailbox has no turn");
    }
  }

  private final Mark mark = new Mark();
  /** The message that was taken last, or the mark. */
  private Message oldest = mark;
  private volatile Message newest = mark;

  /** Adds a message; true if the mailbox was closed, so that its receiver has to be woken. */
  boolean add(Message message) {
    Message before = (Message) NEWEST.getAndSet(this, message);
    before.next = message;
    return before == mark;
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

  /**
   * Closes the mailbox; false if it still has a message. Called by the receiver alone, after it has
   * taken a message: a closed mailbox cannot be closed again.
   */
  boolean close() {
    Message last = oldest;
    if (last != newest) {
      return false;
    }
    oldest = mark; // before the exchange: after it, another thread may be the receiver
    if (NEWEST.compareAndSet(this, last, mark)) {
      closed();
      return true;
    }
    oldest = last;
    return false;
  }

  /** Another thread may be the receiver from here on; a test of this race runs that receiver. */
  void closed() {}
}
