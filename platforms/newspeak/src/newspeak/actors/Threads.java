package newspeak.actors;

import com.oracle.truffle.api.TruffleSafepoint;
import com.oracle.truffle.api.nodes.ControlFlowException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import newspeak.runtime.Interruption;
import newspeak.runtime.Universe;

/**
 * The threads of an actor. They share its objects, so only one of them runs at a time, until it
 * waits or ends. The next one is the one that has been ready for the longest time. The thread that
 * runs the actor's turn is one of them.
 */
public final class Threads {
  /** As a limit: wait until something changes. */
  public static final long FOR_EVER = -1;

  private final Universe universe;
  private final Actor actor;
  /** Held by the thread that runs. Fair, so the order does not depend on the machine. */
  private final ReentrantLock running = new ReentrantLock(true);
  private final Condition changed = running.newCondition();
  /** Tells a thread that was interrupted while it waited whether it missed a change. */
  private long changes;
  /** How many threads go on when a time is over. */
  private int sleeping;

  Threads(Universe universe, Actor actor) {
    this.universe = universe;
    this.actor = actor;
  }

  /** Adds a thread, which is ready now; `thread` is what it is in the language. */
  public void spawn(Object thread, Runnable body) {
    take();
    Thread made = universe.env().newTruffleThreadBuilder(() -> run(thread, body))
        .context(universe.env().getContext()).stackSize(PoolScheduler.STACK_BYTES).build();
    made.setDaemon(true);
    made.start();
    while (made.isAlive() && !running.hasQueuedThread(made)) {
      Thread.yield();
    }
  }

  private void run(Object thread, Runnable body) {
    Worker worker = universe.worker();
    worker.enter(actor, thread);
    universe.program().guard(() -> {
      try {
        take();
        body.run();
      } catch (ControlFlowException outwards) {
        // A `^` of the method that spawned the thread: only the thread ends.
      } catch (Interruption wanted) {
        // Threads that wait are interrupted with the turn.
      }
      worker.endTurn();
      change(); // the end of the turn may wait for this thread
      leave(); // not where the thread ends the program: no other one runs after that
    });
  }

  /** Lets the others run until the condition holds; false if the time is over before. */
  public boolean waitUntil(BooleanSupplier condition, long milliseconds) {
    take();
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
    while (!condition.getAsBoolean()) {
      if (milliseconds == FOR_EVER) {
        waitForChange();
      } else if (System.nanoTime() - end < 0) {
        waitForChange(end);
      } else {
        change(); // for the end of the turn, which may wait for this
        return false;
      }
    }
    return true;
  }

  private void waitForChange() {
    if (!running.hasQueuedThreads() && sleeping == 0) {
      throw universe.signals().signal("Deadlock", "new");
    }
    long seen = changes;
    TruffleSafepoint.setBlockedThreadInterruptible(null, condition -> {
      while (changes == seen) {
        condition.await();
      }
    }, changed);
  }

  private void waitForChange(long end) {
    long seen = changes;
    sleeping++;
    try {
      TruffleSafepoint.setBlockedThreadInterruptible(null, condition -> {
        long left = end - System.nanoTime();
        while (changes == seen && left > 0) {
          left = condition.awaitNanos(left);
        }
      }, changed);
    } finally {
      sleeping--;
    }
  }

  /** Those that wait look at their conditions again. */
  public void change() {
    take();
    changes++;
    changed.signalAll();
  }

  /** The others that are ready run first. */
  public void letOthersRun() {
    take();
    running.unlock();
    take();
  }

  /** A turn ends when its threads have ended, or wait for what another turn may do. */
  void endTurn() {
    while (running.isHeldByCurrentThread()) {
      if (running.hasQueuedThreads()) {
        letOthersRun();
      } else if (sleeping > 0) {
        waitForChange();
      } else {
        running.unlock();
      }
    }
  }

  /** At the end of a thread, or after a turn that was interrupted. */
  void leave() {
    if (running.isHeldByCurrentThread()) {
      running.unlock();
    }
  }

  private void take() {
    if (!running.isHeldByCurrentThread()) {
      TruffleSafepoint.setBlockedThreadInterruptible(
          null, ReentrantLock::lockInterruptibly, running);
    }
  }
}
