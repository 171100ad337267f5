package newspeak.runtime;

import java.util.ArrayList;
import java.util.List;
import newspeak.objects.SArray;
import newspeak.objects.SBlock;
import newspeak.objects.SClass;
import newspeak.objects.SFarReference;
import newspeak.objects.SObject;
import newspeak.objects.SPromise;
import newspeak.objects.SResolver;
import newspeak.objects.SSymbol;

/** Values as a person reads them: like literals where there are any, else by `asString`. */
public final class Display {
  private static final int ELEMENTS_SHOWN = 100;

  private Display() {}

  /** Runs the program's own code, so within a turn only. */
  public static String of(Universe universe, Object value) {
    return switch (value) {
      case String text -> quoted(text);
      case SSymbol symbol -> "#" + symbol.text();
      case SArray array when array.isPlain() -> elements(universe, array);
      default -> Sending.text(universe, value);
    };
  }

  /** Without any code of the program, so at any time. */
  public static String without(Object value) {
    return switch (value) {
      case String text -> quoted(text);
      case SSymbol symbol -> "#" + symbol.text();
      case SArray array -> array.cls().name() + " of " + array.size();
      case SObject object -> "instance of " + object.cls().name();
      case SClass cls -> cls.name();
      case SBlock block -> "block";
      case SPromise promise -> "promise";
      case SFarReference far -> "far reference";
      case SResolver resolver -> "resolver";
      default -> value.toString(); // numbers, booleans, nil
    };
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static String elements(Universe universe, SArray array) {
    List<String> shown = new ArrayList<>();
    for (int index = 0; index < Math.min(array.size(), ELEMENTS_SHOWN); index++) {
      Object element = array.element(index);
      // An array may contain itself.
      shown.add(element instanceof SArray ? Sending.text(universe, element)
          : of(universe, element));
    }
    return "{" + String.join(". ", shown)
        + (array.size() > ELEMENTS_SHOWN ? ". and " + (array.size() - ELEMENTS_SHOWN) + " more" : "")
        + "}";
  }
}
