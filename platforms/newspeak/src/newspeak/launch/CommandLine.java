package newspeak.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import newspeak.runtime.Options;

/** The words of the command; `message` says what is wrong with them, else it is null. */
record CommandLine(Options options, boolean version, Tools tools, String message) {
  private static final int DEBUGGER_PORT = 4711;

  /** Tools of Truffle: the port on which a debugger may connect, or null; and the profiler. */
  record Tools(Integer debugger, boolean profiler) {}

  static final String USAGE = """
      usage: newspeak [options] [FILE.ns [ARGUMENT...]]
        without FILE.ns   runs what you type; the command :help shows the commands
        --platform FILE   uses the class in FILE as the platform
        --kernel FILE     uses the class in FILE as the kernel
        -t N              runs actors in N threads (default: one for each processor)
        --selector NAME   sends NAME to the platform's class, and prints the answer
        --seed N          runs actors in one thread, in an order that depends only on N
        --record FILE     writes the order of the actors' turns to FILE (with --seed)
        --replay FILE     repeats the order of the actors' turns in FILE
        --debug[=PORT]    waits for a debugger (DAP) on the port (default: 4711)
        --profile         prints at the end how much time each method took
        --version         prints the version, and what runs programs here""";

  static CommandLine read(String[] words) {
    Path library = Path.of(System.getProperty("newspeak.library", "library"))
        .toAbsolutePath().normalize();
    Path kernel = library.resolve("Kernel.ns");
    Path platform = library.resolve("Platform.ns");
    int threads = Integer.getInteger("som.threads", Runtime.getRuntime().availableProcessors());
    String selector = null;
    Long seed = null;
    Path record = null;
    Path replay = null;
    boolean version = false;
    Integer debugger = null;
    boolean profiler = false;
    int at = 0;
    for (; at < words.length && words[at].startsWith("-"); at++) {
      String option = words[at];
      if (option.equals("--version")) {
        version = true;
        continue;
      }
      if (option.equals("--profile")) {
        profiler = true;
        continue;
      }
      if (option.equals("--debug")) {
        debugger = DEBUGGER_PORT;
        continue;
      }
      if (option.startsWith("--debug=")) {
        debugger = port(option.substring("--debug=".length()));
        if (debugger == null) {
          return mistake("newspeak: --debug= needs the number of a port, from 1 to 65535");
        }
        continue;
      }
      if (option.equals("--")) {
        at++;
        break;
      }
      if (at + 1 >= words.length) {
        return mistake("newspeak: a value is missing after " + option + "\n" + USAGE);
      }
      String value = words[++at];
      try {
        switch (option) {
          case "--platform" -> platform = Path.of(value).toAbsolutePath().normalize();
          case "--kernel" -> kernel = Path.of(value).toAbsolutePath().normalize();
          case "-t", "--threads" -> threads = Integer.parseInt(value);
          case "--selector" -> selector = value;
          case "--seed" -> seed = Long.parseLong(value);
          case "--record" -> record = Path.of(value);
          case "--replay" -> replay = Path.of(value);
          default -> {
            return mistake("newspeak: there is no option " + option + "\n" + USAGE);
          }
        }
      } catch (NumberFormatException notNumber) {
        return mistake("newspeak: " + option + " needs a number, not " + value);
      }
    }
    List<String> rest = new ArrayList<>(List.of(words).subList(at, words.length));
    boolean interactive = rest.isEmpty() && selector == null && !version;
    if (interactive && (seed != null || record != null || replay != null)) {
      return mistake("newspeak: --seed, --record and --replay need a program\n" + USAGE);
    }
    if (record != null && seed == null && replay == null) {
      return mistake("newspeak: --record needs --seed\n" + USAGE);
    }
    if (threads < 1) {
      return mistake("newspeak: -t needs at least one thread");
    }
    Options options = new Options(
        library, kernel, platform, threads, selector, seed, record, replay, debugger != null,
        rest);
    return new CommandLine(options, version, new Tools(debugger, profiler), null);
  }

  /** The number of a port; null for any other text. */
  private static Integer port(String text) {
    try {
      int port = Integer.parseInt(text);
      return port >= 1 && port <= 65535 ? port : null;
    } catch (NumberFormatException notNumber) {
      return null;
    }
  }

  private static CommandLine mistake(String message) {
    return new CommandLine(null, false, null, message);
  }
}
