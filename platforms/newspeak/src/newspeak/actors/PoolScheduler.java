package newspeak.actors;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import newspeak.runtime.Switches;
import newspeak.runtime.Universe;

/** Some threads, which run batches of the ready actors' turns. */
final class PoolScheduler implements Scheduler {
  /** So many turns at once at most: no actor starves another. */
  private static final int BATCH = 256;
  /** A thread looks for actors from outside after so many of its own. */
  private static final int OUTSIDE_EVERY = 64;
  /** An actor that waits behind a long turn of its thread is found by an idle one this soon. */
  private static final long LOOK_AGAIN_MS = 1;

  private final Universe universe;
  private final int threads;
  /** Actors that no thread of ours made ready. */
  private final ConcurrentLinkedQueue<Actor> ready = new ConcurrentLinkedQueue<>();
  private final Semaphore wanted = new Semaphore(0);
  private final AtomicInteger idle = new AtomicInteger();
  /**
   * Threads that run actors, actors in `ready`, and messages that are to be sent later. An actor
   * that a thread made ready is not counted: before that thread is counted off, it looks for more.
   */
  private final AtomicInteger alive = new AtomicInteger();
  private final List<Thread> threadsStarted = new ArrayList<>();
  private final CopyOnWriteArrayList<Worker> working = new CopyOnWriteArrayList<>();
  private ScheduledExecutorService timers;
  private Program program;
  private volatile boolean stopped;

  PoolScheduler(Universe universe, int threads) {
    this.universe = universe;
    this.threads = threads;
  }

  @Override
  public Actor newActor() {
    return new Actor(this);
  }

  /** What a thread makes ready it mostly runs next: one waiting actor wakes nobody at once. */
  @Override
  public void ready(Actor actor) {
    Worker worker = universe.worker();
    boolean wake = true;
    if (Switches.LOCAL_QUEUES && worker.isStarted()) {
      wake = !worker.ready().add(actor);
    } else {
      alive.incrementAndGet();
      ready.add(actor);
    }
    if (wake && idle.get() > 0) {
      wanted.release();
    }
  }

  @Override
  public void after(long milliseconds, Actor actor, Message message) {
    alive.incrementAndGet();
    timers.schedule(() -> {
      actor.send(message);
      done();
    }, Math.max(0, milliseconds), TimeUnit.MILLISECONDS);
  }

  @Override
  public void start(Program running) {
    program = running;
    timers = Executors.newSingleThreadScheduledExecutor(universe::newThread);
    for (int index = 0; index < threads; index++) {
      threadsStarted.add(universe.newThread(this::work));
    }
    threadsStarted.forEach(Thread::start);
  }

  @Override
  public void stop() {
    stopped = true;
    wanted.release(threads);
    timers.shutdownNow();
  }

  @Override
  public int threads() {
    return threadsStarted.size();
  }

  @Override
  public boolean isIdle() {
    return alive.get() == 0;
  }

  private void done() {
    if (alive.decrementAndGet() == 0) {
      program.idle();
    }
  }

  private void work() {
    Worker worker = universe.worker();
    worker.start();
    working.add(worker);
    while (waitForActors()) {
      // If a turn ends the program, the thread stays counted: an ended program is not idle.
      program.guard(() -> {
        runAll(worker);
        done();
      });
    }
  }

  /** Runs actors until none is ready. */
  private void runAll(Worker worker) {
    Actor actor = find(worker);
    for (int count = 1; actor != null && !stopped; count++) {
      if (actor.run(worker, BATCH)) {
        ready(actor);
      }
      universe.console().flush();
      // Actors that make each other ready without end let in what comes from outside.
      actor = count % OUTSIDE_EVERY == 0 ? fromOutside() : null;
      actor = actor == null ? find(worker) : actor;
    }
  }

  /** Waits until an actor may be ready, and counts the thread among the living. False: all over. */
  private boolean waitForActors() {
    idle.incrementAndGet();
    try {
      while (!stopped) {
        if (isSomethingReady() && alive.getAndUpdate(now -> now == 0 ? 0 : now + 1) != 0) {
          return true;
        }
        wanted.tryAcquire(LOOK_AGAIN_MS, TimeUnit.MILLISECONDS);
      }
      return false;
    } catch (InterruptedException ending) {
      return false;
    } finally {
      idle.decrementAndGet();
    }
  }

  private boolean isSomethingReady() {
    boolean something = !ready.isEmpty();
    for (Worker one : working) {
      something |= one.ready().isLeft();
    }
    return something;
  }

  /** Of one's own, of those from outside, of the other threads'. */
  private Actor find(Worker worker) {
    Actor actor = worker.ready().take();
    if (actor == null) {
      actor = fromOutside();
    }
    for (Worker other : working) {
      if (actor == null && other != worker) {
        actor = other.ready().steal();
      }
    }
    return actor;
  }

  private Actor fromOutside() {
    Actor actor = ready.poll();
    if (actor != null) {
      alive.decrementAndGet(); // the thread that runs it is counted
    }
    return actor;
  }
}
