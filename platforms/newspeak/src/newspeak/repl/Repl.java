package newspeak.repl;

import com.oracle.truffle.api.ThreadLocalAction;
import java.util.concurrent.CompletableFuture;
import newspeak.actors.Program;
import newspeak.runtime.Interruption;
import newspeak.runtime.Universe;

/** Reads what a person types, and gives each input a turn of the main actor. */
public final class Repl {
  private static final String HELP = """
      Type expressions, variables (| x y |) or a class. x:: 3 makes the variable x.
      The names of the kernel's classes, and platform, system, actors, collections, mirrors, files
      and streams are known.
        :help        shows this text
        :load FILE   reads the class of a file, and makes a variable with the class's name
        :quit        ends; so does the end of the input
      Ctrl-C ends the evaluation that runs.
      """;

  private final Universe universe;
  private final Program program;
  private volatile Evaluation running;

  public Repl(Universe universe) {
    this.universe = universe;
    this.program = universe.program();
  }

  /** Whether there is nothing to run: no person at a terminal, and no input. */
  public static boolean hasNoInput() {
    return Input.isMissing();
  }

  /** Runs until the person or the program ends it; answers the exit status. */
  public int run() {
    program.open(() -> {
      Evaluation evaluation = running;
      if (evaluation != null) {
        evaluation.nothingHappens();
      }
    });
    CompletableFuture<Session> session = new CompletableFuture<>();
    program.turn(() -> session.complete(new Session(universe)));
    try (Input input = Input.open(universe, this::interrupt)) {
      waitFor(session);
      while (!program.status().isDone()) {
        String text = input.read();
        if (text == null) {
          return 0;
        }
        if (!text.startsWith(":")) {
          evaluate(new Evaluation(universe, session.join(), text));
        } else if (!command(text.strip(), session.join())) {
          return 0;
        }
      }
      return program.status().join();
    } finally {
      program.stop();
    }
  }

  /** False where the person wants to end. */
  private boolean command(String text, Session session) {
    String[] words = text.split("\\s+", 2);
    switch (words[0]) {
      case ":quit" -> {
        return false;
      }
      case ":help" -> universe.console().print(HELP);
      case ":load" -> {
        if (words.length == 1) {
          universe.console().error(":load needs the name of a file");
        } else {
          evaluate(Evaluation.ofFile(universe, session, words[1]));
        }
      }
      default -> universe.console().error(
          "There is no command " + words[0] + "; :help shows the commands");
    }
    return true;
  }

  private void evaluate(Evaluation evaluation) {
    running = evaluation;
    program.turn(evaluation::run);
    waitFor(evaluation.end());
    running = null;
    universe.console().flush();
  }

  /** Waits for a turn, or the program's end. */
  private void waitFor(CompletableFuture<?> turn) {
    CompletableFuture.anyOf(turn, program.status()).join();
  }

  /** Ends the turns that run now, and the waiting for a promise. */
  private void interrupt() {
    Evaluation evaluation = running;
    if (evaluation == null) {
      return;
    }
    evaluation.stopWaiting();
    universe.env().submitThreadLocal(null, new ThreadLocalAction(true, false) {
      @Override
      protected void perform(Access access) {
        // A thread that was idle gets here later, in a turn of another evaluation. At the prompt,
        // and until the next evaluation begins, a thread may still run what was interrupted.
        Evaluation now = running;
        boolean next = now != null && now != evaluation && now.hasBegun();
        if (!next && universe.currentActor() != null) {
          throw new Interruption();
        }
      }
    });
  }
}
