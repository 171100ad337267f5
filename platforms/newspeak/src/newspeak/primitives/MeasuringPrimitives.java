package newspeak.primitives;

import com.oracle.truffle.api.Truffle;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import newspeak.objects.Nil;
import newspeak.runtime.CpuClock;
import newspeak.runtime.Switches;

/** What a program that measures itself asks of the process: clocks, settings, standard input. */
final class MeasuringPrimitives {
  private static final long NANOSECONDS_A_SECOND = 1_000_000_000;

  private static volatile boolean inputEnded;

  private MeasuringPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    // CLOCK_MONOTONIC itself, on Linux.
    known.put("monotonicNanoseconds", (universe, all) -> System.nanoTime());
    known.put("realtimeNanoseconds", (universe, all) -> {
      Instant now = Instant.now();
      return now.getEpochSecond() * NANOSECONDS_A_SECOND + now.getNano();
    });
    known.put("cpuNanoseconds", (universe, all) -> CpuClock.nanoseconds());
    known.put("processors", (universe, all) ->
        (long) Runtime.getRuntime().availableProcessors());
    known.put("threads", (universe, all) -> (long) universe.program().threads());
    known.put("mostHeapBytes", (universe, all) -> Runtime.getRuntime().maxMemory());
    known.put("runtimeVersion", (universe, all) -> System.getProperty("java.runtime.version"));
    known.put("engineName", (universe, all) -> Truffle.getRuntime().getName());
    known.put("isCompiled", (universe, all) -> isCompiled());
    known.put("optimises:", (universe, all) ->
        Switches.on(Switches.property(TextPrimitives.text(universe, all[0]))));
    known.put("collectorName", (universe, all) -> collector());
    known.put("watchInput", (universe, all) -> watchInput());
    known.put("inputEnded", (universe, all) -> inputEnded);
    known.put("readInput", (universe, all) -> readInput());
  }

  /** Whether hot code becomes machine code: the runtime has the compiler, and nobody forbade it. */
  private static boolean isCompiled() {
    return Truffle.getRuntime().getName().contains("GraalVM")
        && !System.getProperty("polyglot.engine.Compilation", "true").equals("false");
  }

  /** The first word of a collector's name, in the words of the JDK's flags. */
  private static String collector() {
    String name = ManagementFactory.getGarbageCollectorMXBeans().get(0).getName();
    return switch (name.split(" ", 2)[0]) {
      case "Copy", "MarkSweepCompact" -> "serial";
      case "PS" -> "parallel";
      case "ZGC" -> "z";
      default -> name.split(" ", 2)[0].toLowerCase(Locale.ROOT);
    };
  }

  /** Starts a thread that sleeps in read(2) until standard input ends, by an error too. */
  private static Object watchInput() {
    Thread watcher = new Thread(() -> {
      try {
        // Not closed: where standard input was closed at the start, its number is a file's of the
        // JVM.
        System.in.transferTo(OutputStream.nullOutputStream());
      } catch (IOException closed) {
        // Which is an end as well.
      }
      inputEnded = true;
    });
    watcher.setDaemon(true);
    watcher.start();
    return Nil.NIL;
  }

  /** All of standard input, which is UTF-8. */
  private static String readInput() {
    try {
      return new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException fault) {
      throw new UncheckedIOException(fault);
    }
  }
}
