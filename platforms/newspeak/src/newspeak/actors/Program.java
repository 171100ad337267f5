package newspeak.actors;

import com.oracle.truffle.api.RootCallTarget;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import newspeak.dispatch.Lookup;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SBlock;
import newspeak.objects.SClass;
import newspeak.objects.SFarReference;
import newspeak.objects.SPromise;
import newspeak.objects.SPromise.Outcome;
import newspeak.objects.SSymbol;
import newspeak.objects.Values;
import newspeak.runtime.Options;
import newspeak.runtime.ProgramExit;
import newspeak.runtime.SException;
import newspeak.runtime.Sending;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;
import newspeak.syntax.SyntaxErrors;

/** A program from its first turn to its end. */
public final class Program {
  /** The file of the library with the classes of promises, resolvers and far references. */
  private static final String ACTORS = "Actors";

  private final Universe universe;
  private final Scheduler scheduler;
  private final Promises promises;
  /** Java threads for the actors' threads; one that has nothing to do is used again. */
  private final ExecutorService carriers;
  private final CompletableFuture<Integer> status = new CompletableFuture<>();
  private final Actor main;
  private final Map<SSymbol, RootCallTarget> received = new ConcurrentHashMap<>();
  private volatile SPromise awaited;
  private volatile Runnable whenIdle = this::endIdle;

  public Program(Universe universe) {
    this.universe = universe;
    Options options = universe.options();
    this.promises = new Promises(universe);
    this.carriers = Executors.newCachedThreadPool(universe::newThread);
    this.scheduler = options.isDeterministic() ? new SeededScheduler(universe, options)
        : new PoolScheduler(universe, options.threads());
    this.main = scheduler.newActor();
  }

  public Promises promises() {
    return promises;
  }

  /** Runs to the end; answers the exit status. */
  public int run() {
    turn(this::begin);
    scheduler.start(this);
    int code = status.join();
    stop();
    return code;
  }

  /**
   * Starts the actors without a program, for turns from outside; `whenIdle` runs each time that no
   * actor has a message, and none will come.
   */
  public void open(Runnable whenNothingHappens) {
    whenIdle = whenNothingHappens;
    scheduler.start(this);
  }

  /** Ends the Java threads that have nothing to do: who closes the context waits for them. */
  public void stop() {
    carriers.shutdownNow();
    scheduler.stop();
  }

  /** Runs a thread of an actor, which may have to wait for others: each gets a Java thread. */
  void execute(Runnable thread) {
    carriers.execute(thread);
  }

  /** Gives the main actor a turn. */
  public void turn(Runnable work) {
    main.send(new Message() {
      @Override
      void execute(Actor actor) {
        work.run();
      }
    });
  }

  /** The exit status, when the program has ended. */
  public CompletableFuture<Integer> status() {
    return status;
  }

  /** The receiving half of all eventual sends of a selector. */
  RootCallTarget received(SSymbol selector) {
    return received.computeIfAbsent(selector, one -> new ReceivedRoot(
        universe, Lookup.ofPublic(universe, one), null, 0).getCallTarget());
  }

  /** A far reference to a value on a new actor. */
  public Object newActor(Object value) {
    if (!Values.isValue(value) || value instanceof SFarReference) {
      throw universe.signals().notAValue(universe.classes().classOf(value));
    }
    return new SFarReference(main.sibling(), value);
  }

  /** Runs blocks when a promise has an outcome; answers a promise of their value. */
  public SPromise callback(SPromise promise, Object whenResolved, Object onError) {
    Actor current = universe.currentActor();
    SPromise result = new SPromise(current);
    promises.react(promise, new Callback(universe, current, whenResolved, onError, result));
    return result;
  }

  /** The same for blocks that handle no error. */
  public void observe(SPromise promise, Object whenResolved, Object onError) {
    Actor current = universe.currentActor();
    promises.observe(promise,
        new Callback(universe, current, whenResolved, onError, new SPromise(current)));
  }

  /** Runs a block later, as a turn of the current actor; answers a promise of its value. */
  public SPromise after(long milliseconds, SBlock block) {
    Actor current = universe.currentActor();
    SPromise result = new SPromise(current);
    Message turn = new Callback.Turn(universe, block, Nil.NIL, result);
    scheduler.after(milliseconds, current, turn);
    return result;
  }

  /** What programs are given; within a turn. */
  public Object platform() {
    ClassDefinition definition = universe.load(universe.options().platform());
    SClass platformClass = universe.classFactory().module(definition);
    // A foreign platform's factory may want what only its own implementation has: it gets nil.
    Object[] nothing = new Object[definition.factory().arity()];
    Arrays.fill(nothing, Nil.NIL);
    return Sending.send(universe, platformClass, definition.factory().text(), nothing);
  }

  private void begin() {
    universe.libraryModule(ACTORS, Nil.NIL); // any program may make a promise
    Options options = universe.options();
    if (options.selector() != null) {
      SClass platformClass = universe.classFactory().module(universe.load(options.platform()));
      answered(Sending.send(universe, platformClass, options.selector()), true);
      return;
    }
    Object platform = platform();
    Object[] arguments = options.arguments().toArray();
    SClass module = universe.classFactory().module(
        universe.load(java.nio.file.Path.of((String) arguments[0])));
    Object program = Sending.send(universe, module, "usingPlatform:", platform);
    Object values = new SArray(universe.classes().valueArray(), arguments);
    answered(Sending.send(universe, program, "main:", values), false);
  }

  private void answered(Object answer, boolean show) {
    if (answer instanceof SPromise promise) {
      awaited = promise;
      promises.react(promise, (settled, outcome, settling) -> ended(outcome, show));
    } else if (show) {
      universe.console().print(Sending.text(universe, answer) + "\n");
      status.complete(0);
    } else if (answer instanceof Long code) {
      status.complete(code.intValue());
    } else {
      universe.console().error("main: answered neither an Integer, which is the exit status, "
          + "nor a promise, but " + Sending.text(universe, answer));
      status.complete(1);
    }
  }

  /** The text of an object is told by its own actor: another one may not ask it. */
  private void ended(Outcome outcome, boolean show) {
    boolean told = outcome.broken() || show;
    if (told && outcome.value() instanceof SFarReference far
        && far.actor() != universe.currentActor()) {
      far.actor().send(new Message() {
        @Override
        void execute(Actor actor) {
          ended(outcome, show);
        }
      });
      return;
    }
    if (outcome.broken()) {
      universe.console().error(universe.signals().traces().unhandled(outcome.value()));
      status.complete(1);
    } else {
      if (show) {
        universe.console().print(Sending.text(universe, outcome.value()) + "\n");
      }
      status.complete(0);
    }
  }

  /** Nothing can happen any more: no actor has a message, and none will come. */
  void idle() {
    whenIdle.run();
  }

  /** How many threads run actors. */
  public int threads() {
    return scheduler.threads();
  }

  /** Whether no actor has a message, and none will come. */
  public boolean isIdle() {
    return scheduler.isIdle();
  }

  private void endIdle() {
    if (!status.isDone()) {
      universe.console().error(awaited == null ? "The program ended without an answer from main:"
          : "No actor has anything to do, but the promise that main: answered is unresolved");
      status.complete(1);
    }
  }

  /** Runs turns; what ends the program is told here. */
  void guard(Runnable turns) {
    try {
      turns.run();
    } catch (ProgramExit exit) {
      status.complete(exit.status());
    } catch (SException unhandled) {
      universe.console().error(universe.signals().traces().unhandled(unhandled));
      status.complete(1);
    } catch (SyntaxErrors | Universe.ModuleMissing mistake) {
      universe.console().error(mistake.getMessage());
      status.complete(1);
    } catch (newspeak.lexer.SyntaxMistake mistake) {
      universe.console().error(mistake.report());
      status.complete(1);
    } catch (StackOverflowError deep) {
      universe.console().error(
          Sending.text(universe, universe.signals().exhausted(deep).object()));
      status.complete(1);
    } catch (OutOfMemoryError full) {
      universe.console().error("The program ran out of memory");
      status.complete(1);
    } catch (RuntimeException | Error bug) {
      status.completeExceptionally(bug); // `run` throws it; nobody may wait for this thread
    } finally {
      universe.console().flush();
    }
  }
}
