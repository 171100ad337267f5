package newspeak.primitives;

import java.util.Map;
import newspeak.objects.SArray;
import newspeak.objects.SSymbol;
import newspeak.operators.Equality;
import newspeak.runtime.Universe;

/** Strings and symbols. Indices count UTF-16 units from 1. */
final class TextPrimitives {
  /** What SOMns answers for an index that does not exist. */
  private static final String OUT_OF_BOUNDS = "Error - index out of bounds";

  private TextPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("text:append:", (universe, all) -> all[0] + text(universe, all[1]));
    known.put("textAsString:", (universe, all) -> all[0].toString());
    known.put("textAsSymbol:", (universe, all) -> SSymbol.of(all[0].toString()));
    known.put("text:codepointAt:", TextPrimitives::codepointAt);
    known.put("text:beginsWith:", (universe, all) ->
        all[0].toString().startsWith(text(universe, all[1])));
    known.put("text:endsWith:", (universe, all) ->
        all[0].toString().endsWith(text(universe, all[1])));
    known.put("text:indexOf:from:", (universe, all) -> 1L + all[0].toString().indexOf(
        text(universe, all[1]), (int) index(universe, all[2]) - 1));
    known.put("text:compare:", (universe, all) -> (long) Integer.signum(
        all[0].toString().compareTo(text(universe, all[1]))));
    known.put("textFromArray:", TextPrimitives::fromArray);
    known.put("textFromCodepoint:", TextPrimitives::fromCodepoint);
  }

  static String text(Universe universe, Object argument) {
    if (Equality.isText(argument)) {
      return argument.toString();
    }
    throw universe.signals().argumentError(argument);
  }

  static long index(Universe universe, Object argument) {
    if (argument instanceof Long index) {
      return index;
    }
    throw universe.signals().argumentError(argument);
  }

  static Object part(Universe universe, Object[] all) {
    String text = all[0].toString();
    long start = index(universe, all[1]);
    long end = index(universe, all[2]);
    if (start < 1 || end > text.length() || end < start - 1) {
      return OUT_OF_BOUNDS;
    }
    return text.substring((int) start - 1, (int) end);
  }

  static Object length(Universe universe, Object[] all) {
    return (long) all[0].toString().length();
  }

  static Object at(Universe universe, Object[] all) {
    return part(universe, new Object[] {all[0], all[1], all[1]});
  }

  private static Object codepointAt(Universe universe, Object[] all) {
    String text = all[0].toString();
    long index = index(universe, all[1]);
    if (index < 1 || index > text.length()) {
      throw universe.signals().indexOutOfBounds(all[0], all[1]);
    }
    return (long) text.codePointAt((int) index - 1);
  }

  private static Object fromArray(Universe universe, Object[] all) {
    if (!(all[0] instanceof SArray array)) {
      throw universe.signals().argumentError(all[0]);
    }
    StringBuilder joined = new StringBuilder();
    for (Object one : array.storage()) {
      if (!Equality.isText(one)) {
        throw universe.signals().argumentError(all[0]);
      }
      joined.append(one);
    }
    return joined.toString();
  }

  private static Object fromCodepoint(Universe universe, Object[] all) {
    if (all[0] instanceof Long code && code >= 0 && code <= Character.MAX_CODE_POINT) {
      return Character.toString(code.intValue());
    }
    throw universe.signals().argumentError(all[0]);
  }
}
