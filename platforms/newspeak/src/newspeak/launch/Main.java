package newspeak.launch;

import newspeak.runtime.NewspeakLanguage;
import newspeak.runtime.Options;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.Source;

/** The command. */
public final class Main {
  private static final int INTERNAL_ERROR = 2;

  private Main() {}

  public static void main(String[] words) {
    CommandLine line = CommandLine.read(words);
    if (line.message() != null) {
      System.err.println(line.message());
      System.exit(1);
    }
    if (line.version()) {
      System.out.println("newspeak 1 on " + engineName());
      System.exit(0);
    }
    System.exit(run(line.options()));
  }

  /** The engine's name; one without "GraalVM" interprets. */
  private static String engineName() {
    try (Engine engine = Engine.create()) {
      return engine.getImplementationName();
    }
  }

  private static int run(Options options) {
    NewspeakLanguage.prepare(options);
    Context context = Context.newBuilder(NewspeakLanguage.ID)
        .allowAllAccess(true).allowCreateThread(true).build();
    if (!context.getEngine().getImplementationName().contains("GraalVM")
        && !Boolean.getBoolean("newspeak.quiet")) {
      System.err.println("newspeak: the compiler is not active here: programs are interpreted");
    }
    try {
      // The context is not closed: the process ends, whatever still runs in it.
      return context.eval(Source.create(NewspeakLanguage.ID, "run")).asInt();
    } catch (org.graalvm.polyglot.PolyglotException bug) {
      bug.printStackTrace();
      return INTERNAL_ERROR;
    }
  }
}
