package newspeak.actors;

import com.oracle.truffle.api.TruffleContext;
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
  /** Recursion in the language is recursion in the interpreter, with frames many times larger. */
  static final long STACK_BYTES = 32L << 20;

  /** An actor that waits behind a long turn of its thread is found by an idle one this soon. */
  private static final long LOOK_AGAIN_MS = 1;

  private final Universe universe;
  private final int threads;
  private final ConcurrentLinkedQueue<Actor> ready = new ConcurrentLinkedQueue<>();
  private final Semaphore wanted = new Semaphore(0);
  private final AtomicInteger idle = new AtomicInteger();
  /** Actors that are ready or running, and messages that are to be sent later. */
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

  @Override
  public void ready(Actor actor) {
    alive.incrementAndGet();
    enqueue(actor);
  }

  /** What a thread makes ready it mostly runs next: one waiting actor wakes nobody at once. */
  private void enqueue(Actor actor) {
    Worker worker = universe.worker();
    boolean wake = true;
    if (Switches.LOCAL_QUEUES && worker.isStarted()) {
      wake = !worker.ready().isEmpty();
      worker.ready().add(actor);
    } else {
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
    TruffleContext context = universe.env().getContext();
    timers = Executors.newSingleThreadScheduledExecutor(task -> {
      Thread thread = universe.env().newTruffleThreadBuilder(task).context(context).build();
      thread.setDaemon(true);
      return thread;
    });
    for (int index = 0; index < threads; index++) {
      Thread thread = universe.env().newTruffleThreadBuilder(this::work).context(context)
          .stackSize(STACK_BYTES).build();
      thread.setDaemon(true);
      threadsStarted.add(thread);
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
    worker.start(universe);
    working.add(worker);
    while (!stopped) {
      Actor actor = next(worker);
      if (actor == null) {
        return;
      }
      program.guard(() -> {
        if (actor.run(worker, BATCH)) {
          enqueue(actor);
        } else {
          done();
        }
      });
    }
  }

  /** A ready actor; waits for one. Null when all is over. */
  private Actor next(Worker worker) {
    Actor actor = find(worker);
    if (actor != null) {
      return actor;
    }
    idle.incrementAndGet();
    try {
      while (!stopped) {
        actor = find(worker);
        if (actor != null) {
          return actor;
        }
        wanted.tryAcquire(LOOK_AGAIN_MS, TimeUnit.MILLISECONDS);
      }
      return null;
    } catch (InterruptedException ending) {
      return null;
    } finally {
      idle.decrementAndGet();
    }
  }

  /** Of one's own, of those from outside, of the other threads'. */
  private Actor find(Worker worker) {
    Actor actor = worker.ready().poll();
    if (actor == null) {
      actor = ready.poll();
    }
    for (Worker other : working) {
      if (actor == null && other != worker) {
        actor = other.ready().poll();
      }
    }
    return actor;
  }
}
