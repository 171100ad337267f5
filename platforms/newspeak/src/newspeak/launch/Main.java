package newspeak.launch;

import com.oracle.truffle.api.Truffle;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import newspeak.repl.Repl;
import newspeak.runtime.NewspeakLanguage;
import newspeak.runtime.Options;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Source;

/** The command. */
public final class Main {
  private static final int INTERNAL_ERROR = 2;
  /** Is in the name of an engine that compiles. */
  private static final String COMPILING = "GraalVM";
  /** How deep a method is inlined into itself: of 2 (the default) to 6, 3 was the fastest. */
  private static final String INLINED_RECURSION = "3";

  private Main() {}

  public static void main(String[] words) {
    CommandLine line = CommandLine.read(words);
    if (line.message() != null) {
      System.err.println(line.message());
      System.exit(1);
    }
    if (line.version()) {
      System.out.println("newspeak 1 on " + Truffle.getRuntime().getName());
      System.exit(0);
    }
    if (line.options().isInteractive() && Repl.hasNoInput()) {
      System.err.println(CommandLine.USAGE);
      System.exit(1);
    }
    Integer port = line.tools().debugger();
    if (port != null && !isFree(port)) {
      System.err.println("newspeak: port " + port + " cannot be opened; choose another port with "
          + "--debug=PORT");
      System.exit(1);
    }
    System.exit(run(line.options(), line.tools()));
  }

  /** Whether a debugger could connect to the port; Truffle would run the program without one. */
  private static boolean isFree(int port) {
    try (ServerSocket free = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return free.isBound();
    } catch (IOException taken) {
      return false;
    }
  }

  private static int run(Options options, CommandLine.Tools tools) {
    NewspeakLanguage.prepare(options);
    Context.Builder builder = Context.newBuilder(NewspeakLanguage.ID)
        .allowAllAccess(true).allowCreateThread(true);
    if (Truffle.getRuntime().getName().contains(COMPILING)) {
      Directives.add(options.library());
      builder.allowExperimentalOptions(true)
          .option("compiler.InliningRecursionDepth", INLINED_RECURSION);
    } else if (!Boolean.getBoolean("newspeak.quiet")) {
      System.err.println("newspeak: the compiler is not active, so programs are interpreted");
    }
    builder.out(System.err); // for the tools' messages: a program writes elsewhere
    if (tools.debugger() != null) {
      builder.option("dap", "127.0.0.1:" + tools.debugger())
          .option("dap.WaitAttached", "true").option("dap.Suspend", "false");
    }
    if (tools.profiler()) {
      builder.option("cpusampler", "true");
    }
    Context context = builder.build();
    try {
      int status = context.eval(Source.create(NewspeakLanguage.ID, "run")).asInt();
      if (tools.profiler()) {
        context.close(true); // which prints the profile
      }
      // Else the context is not closed: the process ends, whatever still runs in it.
      return status;
    } catch (org.graalvm.polyglot.PolyglotException bug) {
      bug.printStackTrace();
      return INTERNAL_ERROR;
    }
  }
}
