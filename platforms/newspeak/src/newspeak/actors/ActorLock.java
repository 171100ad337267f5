package newspeak.actors;

import com.oracle.truffle.api.TruffleSafepoint;

/** A lock that an actor holds, with all its threads; other actors wait. */
public final class ActorLock {
  private Actor owner; // null while no actor holds it
  private int depth;

  public void enter(Actor actor) {
    TruffleSafepoint.setBlockedThreadInterruptible(null, all -> all.take(actor), this);
  }

  private synchronized void take(Actor actor) throws InterruptedException {
    while (owner != null && owner != actor) {
      wait();
    }
    owner = actor;
    depth++;
  }

  public synchronized void leave() {
    depth--;
    if (depth == 0) {
      owner = null;
      notifyAll();
    }
  }
}
