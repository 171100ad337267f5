package newspeak.actors;

import com.oracle.truffle.api.TruffleSafepoint;
import com.oracle.truffle.api.nodes.ControlFlowException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import newspeak.runtime.Interruption;
import newspeak.runtime.Universe;

/**
 * The threads of an actor. They share its objects, so only one of them runs at a time, until it
 * waits or ends. The next one is the one that has been ready for the longest time. The actor's turn
 * is one of them.
 */
public final class Threads {
  /** As a limit: wait until something changes. */
  public static final long FOR_EVER = -1;

  private final Universe universe;
  private final Actor actor;
  private final Strand turn = new Strand(null);
  private Strand running; // null between turns, and while all threads wait
  private final Deque<Strand> ready = new ArrayDeque<>();
  private final Set<Strand> waiting = new LinkedHashSet<>();
  /** Threads that go on at a time, and this time. */
  private final Map<Strand, Long> sleeping = new LinkedHashMap<>();
  private long waits; // how often one of them began to wait
  /** In the deterministic mode, time passes only while no thread is ready. */
  private final boolean virtual;
  private long virtualNow;

  Threads(Universe universe, Actor actor) {
    this.universe = universe;
    this.actor = actor;
    this.virtual = universe.options().isDeterministic();
  }

  /** Adds a thread, which is ready now; `thread` is what it is in the language. */
  public void spawn(Object thread, Runnable body) {
    take();
    Strand made = new Strand(thread);
    synchronized (this) { // a thread that is interrupted at once leaves when it is ready
      universe.program().execute(() -> run(made, body)); // may fail, and then nobody waits for it
      ready.add(made);
    }
  }

  private void run(Strand self, Runnable body) {
    Worker worker = universe.worker();
    self.carrier = Thread.currentThread();
    worker.enter(actor, self);
    universe.program().guard(() -> {
      try {
        block(self);
        body.run();
      } catch (ControlFlowException outwards) {
        // A `^` of the method that spawned the thread: only the thread ends.
      } catch (Interruption wanted) {
        // Threads that wait are interrupted with the turn.
      }
      leave(); // not where the thread ends the program: no other one runs after that
    });
    worker.leave();
  }

  private Strand current() {
    Strand spawned = universe.worker().strand();
    if (spawned != null) {
      return spawned;
    }
    turn.carrier = Thread.currentThread();
    return turn;
  }

  /** Lets the others run until the condition holds; false if the time is over before. */
  public boolean waitUntil(BooleanSupplier condition, long milliseconds) {
    take();
    Strand self = current();
    self.since = ++waits;
    long end = now() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
    while (!condition.getAsBoolean()) {
      if (milliseconds == FOR_EVER) {
        waitForChange(self);
      } else if (now() - end < 0) {
        waitForChange(self, end);
      } else {
        change(); // the end of the turn may wait for this thread
        return false;
      }
    }
    return true;
  }

  private long now() {
    return virtual ? virtualNow : System.nanoTime();
  }

  private void waitForChange(Strand self) {
    synchronized (this) {
      self.refused = false; // it may have been interrupted before it saw that
      waiting.add(self);
      if (isLast()) {
        refuseLatest();
      }
      handOver();
    }
    block(self);
    if (self.refused) {
      throw universe.signals().signal("Deadlock", "new");
    }
  }

  /** Whether nobody could change anything while this thread waits. */
  private synchronized boolean isLast() {
    return ready.isEmpty() && sleeping.isEmpty();
  }

  /** Of all that wait, the one that began last must not; others may wait for another turn. */
  private void refuseLatest() {
    Strand latest = Collections.max(waiting, Comparator.comparingLong(one -> one.since));
    latest.refused = true;
    waiting.remove(latest);
    ready.add(latest);
  }

  private void waitForChange(Strand self, long end) {
    synchronized (this) {
      waiting.add(self);
      sleeping.put(self, end);
      handOver();
    }
    try {
      TruffleSafepoint.setBlockedThreadInterruptible(null, one -> awaitTime(one, end), self);
    } finally {
      synchronized (this) {
        sleeping.remove(self);
      }
    }
  }

  /** Those that wait look at their conditions again. */
  public void change() {
    take();
    wake();
  }

  private synchronized void wake() {
    ready.addAll(waiting);
    waiting.clear();
  }

  /** The others that are ready run first. */
  public void letOthersRun() {
    take();
    Strand self = current();
    synchronized (this) {
      ready.add(self);
      handOver();
    }
    block(self);
  }

  /** A turn ends when its threads have ended, or wait for what another turn may do. */
  void endTurn() {
    if (isUnused()) {
      return;
    }
    take();
    while (!stop()) {
      block(turn);
    }
  }

  private synchronized boolean isUnused() {
    return running == null && isLast() && !waiting.contains(turn);
  }

  /** Whether all the others wait for another turn; otherwise they run first. */
  private synchronized boolean stop() {
    boolean over = isLast();
    if (ready.isEmpty() && !over) {
      waiting.add(turn);
    } else if (!over) {
      ready.add(turn);
    }
    handOver();
    return over;
  }

  /** At the end of a thread, or after a turn that was interrupted. */
  void leave() {
    leave(current());
  }

  private synchronized void leave(Strand self) {
    forget(self);
    wake();
    if (running == null || running == self) {
      handOver();
    }
  }

  /** An interruption may leave a thread among those that wait. */
  private void forget(Strand self) {
    waiting.remove(self);
    ready.remove(self);
  }

  private synchronized boolean isRunning(Strand self) {
    return running == self;
  }

  private synchronized boolean isWaiting(Strand self) {
    return waiting.contains(self);
  }

  /** Makes the current thread the one that runs. */
  private void take() {
    Strand self = current();
    if (!isRunning(self)) {
      makeReady(self);
      block(self);
    }
  }

  private synchronized void makeReady(Strand self) {
    forget(self);
    ready.add(self);
    if (running == null) {
      handOver();
    }
  }

  /** Wakes the next thread alone: there may be thousands. */
  private synchronized void handOver() {
    if (virtual && ready.isEmpty() && !sleeping.isEmpty()) {
      wakeFirst();
    }
    running = ready.poll();
    if (running != null) {
      LockSupport.unpark(running.carrier);
    }
  }

  private void wakeFirst() {
    long before = virtualNow;
    var first = Collections.min(sleeping.entrySet(),
        Comparator.comparingLong(one -> one.getValue() - before));
    virtualNow = first.getValue();
    waiting.remove(first.getKey());
    ready.add(first.getKey());
  }

  private void block(Strand self) {
    TruffleSafepoint.setBlockedThreadInterruptible(null, this::awaitTurn, self);
  }

  private void awaitTurn(Strand self) throws InterruptedException {
    while (!isRunning(self)) {
      pause(Long.MAX_VALUE);
    }
  }

  private void awaitTime(Strand self, long end) throws InterruptedException {
    while (!virtual && isWaiting(self)) {
      long left = end - System.nanoTime();
      if (left > 0) {
        pause(left);
      } else {
        makeReady(self);
      }
    }
    awaitTurn(self);
  }

  private void pause(long nanoseconds) throws InterruptedException {
    LockSupport.parkNanos(this, nanoseconds);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}
