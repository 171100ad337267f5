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

  /** Within a turn. What ends the program is not caught. */
  void run() {
    try {
      Object value = code.get();
      if (value instanceof SPromise promise) {
        waitForPromise();
        universe.program().promises().react(promise, (settled, outcome, settling) ->
            universe.program().turn(() -> settled(outcome)));
        return;
      }
      if (value != null) {
        print(value);
      }
    } catch (SException signalled) {
      report(signalled.object());
    } catch (StackOverflowError deep) {
      report(universe.signals().stackOverflow().object());
    } catch (OutOfMemoryError full) {
      report(universe.signals().outOfMemory().object());
    } catch (SyntaxMistake mistake) {
      universe.console().error(mistake.report());
    } catch (SyntaxErrors | Universe.ModuleMissing mistake) {
      universe.console().error(mistake.getMessage());
    } catch (Interruption wanted) {
      universe.console().error("Interrupted");
    } catch (ProgramExit exit) {
      if (exit.isAsked()) {
        throw exit;
      }
    }
    end.complete(null);
  }

  private synchronized void waitForPromise() {
    waiting = true;
    if (interrupted) {
      stopWaiting();
    }
  }

  /** In a turn of the main actor, whether or not the person still waits. */
  private synchronized void settled(Outcome outcome) {
    if (outcome.broken()) {
      report(outcome.value());
    } else {
      print(outcome.value());
    }
    waiting = false;
    end.complete(null);
  }

  private void print(Object value) {
    universe.console().print(Display.of(universe, value) + "\n");
  }

  private void report(Object signalled) {
    universe.console().error(universe.signals().traces().report(signalled));
  }

  /** No actor has a message: a promise that is unresolved now is not waited for. */
  synchronized void nothingHappens() {
    if (waiting) {
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
