package newspeak.repl;

import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import newspeak.lexer.SyntaxMistake;
import newspeak.objects.SPromise;
import newspeak.objects.SPromise.Outcome;
import newspeak.runtime.Display;
import newspeak.runtime.Interruption;
import newspeak.runtime.ProgramExit;
import newspeak.runtime.SException;
import newspeak.runtime.Universe;
import newspeak.syntax.SyntaxErrors;

/** One input's turn, and the waiting for its promise: prints the value or what was wrong. */
final class Evaluation {
  private final Universe universe;
  private final Supplier<Object> code;
  private final CompletableFuture<Void> end = new CompletableFuture<>();
  private volatile boolean begun;
  private boolean waiting;
  private boolean interrupted;

  /** `code` answers the input's value, or null if it has none. */
  private Evaluation(Universe universe, Supplier<Object> code) {
    this.universe = universe;
    this.code = code;
  }

  Evaluation(Universe universe, Session session, String text) {
    this(universe, () -> session.evaluate(text));
  }

  static Evaluation ofFile(Universe universe, Session session, String file) {
    return new Evaluation(universe, () -> session.load(universe.read(Path.of(file))));
  }

  CompletableFuture<Void> end() {
    return end;
  }

  /** Whether its turn has begun: before, the main actor may still be in an earlier turn. */
  boolean hasBegun() {
    return begun;
  }

  /** Within a turn. What ends the program is not caught. */
  void run() {
    begun = true;
    boolean over = true;
    try {
      over = evaluated();
    } catch (Interruption wanted) { // also of code that a report runs
      universe.console().error("Interrupted");
    } finally {
      if (over) {
        end.complete(null);
      }
    }
  }

  /** False where the end comes later, with the promise. */
  private boolean evaluated() {
    try {
      Object value = code.get();
      if (value instanceof SPromise promise) {
        waitForPromise();
        universe.program().promises().react(promise, (settled, outcome, settling) ->
            universe.program().turn(() -> settled(outcome)));
        return false;
      }
      if (value != null) {
        print(value);
      }
    } catch (SException signalled) {
      report(signalled.object());
    } catch (StackOverflowError | OutOfMemoryError exhausted) {
      report(universe.signals().exhausted(exhausted).object());
    } catch (SyntaxMistake mistake) {
      universe.console().error(mistake.report());
    } catch (SyntaxErrors | Universe.ModuleMissing mistake) {
      universe.console().error(mistake.getMessage());
    } catch (ProgramExit exit) {
      if (exit.isAsked()) {
        throw exit;
      }
    }
    return true;
  }

  private synchronized void waitForPromise() {
    waiting = true;
    if (interrupted) {
      stopWaiting();
    }
  }

  /**
   * In a turn of the main actor, whether or not the person still waits. Showing the value runs code
   * of the program, so it must not keep `stopWaiting` from its turn.
   */
  private void settled(Outcome outcome) {
    try {
      if (outcome.broken()) {
        report(outcome.value());
      } else {
        print(outcome.value());
      }
    } finally {
      synchronized (this) {
        waiting = false;
      }
      end.complete(null);
    }
  }

  private void print(Object value) {
    universe.console().print(Display.of(universe, value) + "\n");
  }

  private void report(Object signalled) {
    universe.console().error(universe.signals().traces().report(signalled));
  }

  /** No actor has a message: a promise that is unresolved now is not waited for. */
  synchronized void nothingHappens() {
    // What told us may be late, and another turn may have begun meanwhile.
    if (waiting && universe.program().isIdle()) {
      universe.console().print("an unresolved promise\n");
      waiting = false;
      end.complete(null);
    }
  }

  /** The person does not want to wait any longer for a promise. */
  synchronized void stopWaiting() {
    interrupted = true; // the turn may be about to wait
    if (waiting) {
      universe.console().error("Interrupted");
      waiting = false;
      end.complete(null);
    }
  }
}
