package newspeak.primitives;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.Truffle;
import com.oracle.truffle.api.source.Source;
import com.oracle.truffle.api.source.SourceSection;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.Values;
import newspeak.runtime.ProgramExit;
import newspeak.runtime.Sending;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;

/** The process, its console, its clock, its files of code. */
final class SystemPrimitives {
  private static final long NANOSECONDS_A_MICROSECOND = 1000;
  /** A module that is initialised within itself so many times never ends. */
  private static final int MOST_INITIALISATIONS = 100;

  private SystemPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("exit:", (universe, all) -> {
      throw ProgramExit.asked((int) TextPrimitives.index(universe, all[0]));
    });
    known.put("exitWithError:", (universe, all) -> {
      throw universe.fatal(all[0].toString());
    });
    known.put("warning:", (universe, all) -> {
      universe.console().error(all[0].toString());
      return Nil.NIL;
    });
    known.put("print:", (universe, all) -> {
      universe.console().print(TextPrimitives.text(universe, all[0]));
      return all[0];
    });
    known.put("println:", (universe, all) -> {
      universe.console().print(TextPrimitives.text(universe, all[0]) + "\n");
      return all[0];
    });
    known.put("arguments", (universe, all) -> new SArray(
        universe.classes().valueArray(), universe.options().arguments().toArray()));
    known.put("milliseconds", (universe, all) -> System.currentTimeMillis()
        - ManagementFactory.getRuntimeMXBean().getStartTime());
    known.put("microseconds", (universe, all) -> System.nanoTime() / NANOSECONDS_A_MICROSECOND);
    known.put("collectGarbage", (universe, all) -> {
      System.gc();
      return true;
    });
    known.put("printStackTrace", SystemPrimitives::printStackTrace);
    known.put("loadModule:nextTo:ifMissing:", SystemPrimitives::load);
    known.put("singleton:ifAbsent:", SystemPrimitives::singleton);
    known.put("library:for:", (universe, all) ->
        universe.libraryModule((String) all[0], all[1]));
  }

  private static Object printStackTrace(Universe universe, Object[] all) {
    Truffle.getRuntime().iterateFrames(instance -> {
      var node = instance.getCallNode();
      var section = node == null ? null : node.getEncapsulatingSourceSection();
      var root = ((RootCallTarget) instance.getCallTarget()).getRootNode();
      universe.console().print("  " + root.getName() + (section == null ? ""
          : " " + section.getSource().getName() + ":" + section.getStartLine()) + "\n");
      return null;
    });
    return Nil.NIL;
  }

  private static Object load(Universe universe, Object[] all) {
    Path path = FilePrimitives.path(universe, all[0]);
    if (all[1] != Nil.NIL) {
      ClassDefinition definition = universe.classes().layoutOf(all[1]).definition();
      path = Path.of(definition.tree().source().path()).resolveSibling(path);
    }
    try {
      ClassDefinition loaded = universe.load(path);
      if (initialisations(universe, loaded) >= MOST_INITIALISATIONS) {
        throw universe.signals().cyclicImport(loaded.tree().source().path());
      }
      return universe.classFactory().module(loaded);
    } catch (Universe.ModuleMissing missing) {
      return Sending.send(universe, all[2], "value:", missing.getMessage());
    }
  }

  /** A module that is made once: for all actors if it is a value, otherwise for this one. */
  private static Object singleton(Universe universe, Object[] all) {
    Path path = FilePrimitives.path(universe, all[0]).toAbsolutePath().normalize();
    Map<Path, Object> shared = universe.singletons();
    Map<Path, Object> own = universe.currentActor().singletons();
    Supplier<Object> find = () -> shared.getOrDefault(path, own.get(path));
    Object known = find.get();
    // Another actor that wants the module waits, because the module may be a value.
    return known != null ? known : universe.makings().forAll(path, find, () -> {
      Object made = Sending.send(universe, all[1], "value");
      Object earlier = (Values.isValue(made) ? shared : own).putIfAbsent(path, made);
      return earlier == null ? made : earlier;
    });
  }

  /** How many initialisers of a module this call is in: each waits for the next. */
  private static int initialisations(Universe universe, ClassDefinition module) {
    Source source = universe.source(module.tree().source());
    int[] count = {0};
    Truffle.getRuntime().iterateFrames(instance -> {
      SourceSection section =
          ((RootCallTarget) instance.getCallTarget()).getRootNode().getSourceSection();
      if (section != null && section.getSource().equals(source)
          && section.getCharIndex() == module.tree().at()) {
        count[0]++;
      }
      return null;
    });
    return count[0];
  }
}
