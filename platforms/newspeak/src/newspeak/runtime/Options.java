package newspeak.runtime;

import java.nio.file.Path;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param selector sent to the platform's class instead of running a program; else null
 * @param seed of the interleaving in deterministic mode; else null
 * @param record where the interleaving is written; else null
 * @param replay where an interleaving is read; else null
 * @param debugged whether a debugger can stop the program
 */
public record Options(
    Path library,
    Path kernel,
    Path platform,
    int threads,
    String selector,
    Long seed,
    Path record,
    Path replay,
    boolean debugged,
    List<String> arguments) {
  /** Whether there is no program: a person types what is to run. */
  public boolean isInteractive() {
    return selector == null && arguments.isEmpty();
  }

  public boolean isDeterministic() {
    return seed != null || replay != null;
  }
}
