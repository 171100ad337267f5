package newspeak.primitives;

import java.util.Map;
import newspeak.objects.SClass;
import newspeak.objects.SFarReference;
import newspeak.objects.SSymbol;
import newspeak.objects.Values;
import newspeak.operators.Equality;
import newspeak.runtime.ProgramExit;

/** What every object can be asked. */
final class ObjectPrimitives {
  private ObjectPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("objectClass", (universe, all) -> universe.classes().object());
    known.put("valueClass", (universe, all) -> universe.classes().value());
    known.put("kernel", (universe, all) -> universe.classes().kernel());
    known.put("different:from:", (universe, all) -> Equality.different(all[0], all[1]));
    known.put("hash:", (universe, all) -> hash(all[0]));
    known.put("isValue:", (universe, all) -> Values.isValue(all[0]));
    known.put("classOf:", (universe, all) -> universe.classes().classOf(all[0]));
    known.put("className:", (universe, all) -> universe.classes().classOf(all[0]).name());
    known.put("nameOf:", (universe, all) -> ((SClass) all[0]).name());
    known.put("signal:", (universe, all) -> {
      throw universe.signals().exception(all[0]);
    });
    known.put("error:", (universe, all) -> {
      universe.console().print("ERROR: " + all[0] + "\n");
      throw ProgramExit.failed();
    });
    known.put("halt:", (universe, all) -> all[0]);
  }

  /** Equal objects have equal ones: numbers by value, texts of both kinds by content. */
  private static Object hash(Object object) {
    if (object instanceof Double real) {
      return real == Math.rint(real) && Math.abs(real) < 0x1p62 ? (Object) real.longValue()
          : (Object) (long) real.hashCode();
    }
    if (object instanceof Long || object instanceof java.math.BigInteger) {
      return object;
    }
    if (object instanceof SFarReference far) {
      return (long) System.identityHashCode(far.value());
    }
    return object instanceof String || object instanceof SSymbol
        ? (long) object.toString().hashCode() : (long) System.identityHashCode(object);
  }
}
