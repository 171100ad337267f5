package newspeak.primitives;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SObject;
import newspeak.runtime.ProgramExit;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;

/** The process, its console, its clock, its files of code. */
final class SystemPrimitives {
  private static final long NANOSECONDS_A_MICROSECOND = 1000;

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
    known.put("loadModule:nextTo:", SystemPrimitives::load);
    known.put("library:for:", (universe, all) ->
        universe.libraryModule((String) all[0], all[1]));
  }

  private static Object printStackTrace(Universe universe, Object[] all) {
    com.oracle.truffle.api.Truffle.getRuntime().iterateFrames(instance -> {
      var node = instance.getCallNode();
      var section = node == null ? null : node.getEncapsulatingSourceSection();
      var root = ((com.oracle.truffle.api.RootCallTarget) instance.getCallTarget()).getRootNode();
      universe.console().print("  " + root.getName() + (section == null ? ""
          : " " + section.getSource().getName() + ":" + section.getStartLine()) + "\n");
      return null;
    });
    return Nil.NIL;
  }

  private static Object load(Universe universe, Object[] all) {
    Path path = Path.of(TextPrimitives.text(universe, all[0]));
    if (all[1] instanceof SObject object) {
      ClassDefinition definition = object.layout().definition();
      path = Path.of(definition.tree().source().path()).resolveSibling(path);
    }
    try {
      return universe.classFactory().module(universe.load(path));
    } catch (Universe.ModuleMissing missing) {
      throw universe.signals().moduleNotFound(missing.getMessage());
    }
  }
}
