package newspeak.actors;

import com.oracle.truffle.api.TruffleSafepoint;
import com.oracle.truffle.api.nodes.ControlFlowException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import newspeak.objects.SPromise;
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
  private Thread running; // null between turns, and while all threads wait
  private final Deque<Thread> ready = new ArrayDeque<>();
  private final Set<Thread> waiting = new LinkedHashSet<>();
  /** Threads that go on at a time, and this time. */
  private final Map<Thread, Long> sleeping = new LinkedHashMap<>();
  /** Promises that the threads broke: the turn reports them. */
  private final List<SPromise> broken = new ArrayList<>();
  /** In the deterministic mode, time passes only while no thread is ready. */
  private final boolean virtual;
  private long virtualNow;

  Threads(Universe universe, Actor actor) {
    this.universe = universe;
    this.actor = actor;
    this.virtual = universe.options().isDeterministic();
  }

  List<SPromise> broken() {
    return broken;
  }

  /** Adds a thread, which is ready now; `thread` is what it is in the language. */
  public void spawn(Object thread, Runnable body) {
    take();
    Thread made = universe.env().newTruffleThreadBuilder(() -> run(thread, body))
        .context(universe.env().getContext()).stackSize(PoolScheduler.STACK_BYTES).build();
    made.setDaemon(true);
    made.start(); // may fail, and then nobody waits for it
    synchronized (this) {
      ready.add(made);
    }
  }

  private void run(Object thread, Runnable body) {
    Worker worker = universe.worker();
    worker.enter(actor, thread);
    universe.program().guard(() -> {
      try {
        block();
        body.run();
      } catch (ControlFlowException outwards) {
        // A `^` of the method that spawned the thread: only the thread ends.
      } catch (Interruption wanted) {
        // Threads that wait are interrupted with the turn.
      }
      leave(); // not where the thread ends the program: no other one runs after that
    });
  }

  /** Lets the others run until the condition holds; false if the time is over before. */
  public boolean waitUntil(BooleanSupplier condition, long milliseconds) {
    take();
    long end = now() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
    while (!condition.getAsBoolean()) {
      if (milliseconds == FOR_EVER) {
        waitForChange();
      } else if (now() - end < 0) {
        waitForChange(end);
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

  private void waitForChange() {
    if (isLast()) {
      throw universe.signals().signal("Deadlock", "new");
    }
    synchronized (this) {
      waiting.add(Thread.currentThread());
      handOver();
    }
    block();
  }

  /** Whether nobody could change anything while this thread waits. */
  private synchronized boolean isLast() {
    return ready.isEmpty() && sleeping.isEmpty();
  }

  private void waitForChange(long end) {
    synchronized (this) {
      waiting.add(Thread.currentThread());
      sleeping.put(Thread.currentThread(), end);
      handOver();
    }
    try {
      TruffleSafepoint.setBlockedThreadInterruptible(null, all -> all.awaitTurn(end), this);
    } finally {
      synchronized (this) {
        sleeping.remove(Thread.currentThread());
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
    synchronized (this) {
      ready.add(Thread.currentThread());
      handOver();
    }
    block();
  }

  /** A turn ends when its threads have ended, or wait for what another turn may do. */
  void endTurn() {
    if (isUnused()) {
      return;
    }
    take();
    while (!stop()) {
      block();
    }
  }

  private synchronized boolean isUnused() {
    return running == null && isLast() && !waiting.contains(Thread.currentThread());
  }

  /** Whether all the others wait for another turn; otherwise they run first. */
  private synchronized boolean stop() {
    boolean over = isLast();
    if (ready.isEmpty() && !over) {
      waiting.add(Thread.currentThread());
    } else if (!over) {
      ready.add(Thread.currentThread());
    }
    handOver();
    return over;
  }

  /** At the end of a thread, or after a turn that was interrupted. */
  synchronized void leave() {
    forget();
    wake();
    if (running == null || isRunning()) {
      handOver();
    }
  }

  /** An interruption may leave a thread among those that wait. */
  private void forget() {
    waiting.remove(Thread.currentThread());
    ready.remove(Thread.currentThread());
  }

  private synchronized boolean isRunning() {
    return running == Thread.currentThread();
  }

  /** Makes the current thread the one that runs. */
  private void take() {
    synchronized (this) {
      if (isRunning()) {
        return;
      }
      forget();
      ready.add(Thread.currentThread());
      if (running == null) {
        handOver();
      }
    }
    block();
  }

  private synchronized void handOver() {
    if (virtual && ready.isEmpty() && !sleeping.isEmpty()) {
      wakeFirst();
    }
    running = ready.poll();
    notifyAll();
  }

  private void wakeFirst() {
    long before = virtualNow;
    var first = Collections.min(sleeping.entrySet(),
        Comparator.comparingLong(one -> one.getValue() - before));
    virtualNow = first.getValue();
    waiting.remove(first.getKey());
    ready.add(first.getKey());
  }

  private void block() {
    TruffleSafepoint.setBlockedThreadInterruptible(null, Threads::awaitTurn, this);
  }

  private synchronized void awaitTurn() throws InterruptedException {
    while (!isRunning()) {
      wait();
    }
  }

  private synchronized void awaitTurn(long end) throws InterruptedException {
    while (!virtual && waiting.contains(Thread.currentThread())) {
      long left = end - System.nanoTime();
      if (left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      } else {
        forget();
        ready.add(Thread.currentThread());
        if (running == null) {
          handOver();
        }
      }
    }
    awaitTurn();
  }
}
