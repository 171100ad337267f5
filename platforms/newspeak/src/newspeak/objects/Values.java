package newspeak.objects;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.object.DynamicObjectLibrary;
import java.math.BigInteger;
import newspeak.structure.SlotDefinition;

/** Which objects are values: deeply immutable, so that actors may share them. */
public final class Values {
  private Values() {}

  public static boolean isValue(Object object) {
    if (object instanceof SObject one) {
      return one.layout().isValue();
    }
    if (object instanceof SClass cls) {
      return cls.isValue();
    }
    return object instanceof Long || object instanceof Double || object instanceof Boolean
        || object instanceof String || object instanceof SSymbol || object instanceof Nil
        || object instanceof BigInteger || object instanceof SFarReference
        || object instanceof SResolver;
  }

  /** The Java class of an object if all its objects are values, otherwise null. */
  public static Class<?> kindOf(Object object) {
    boolean differ = object instanceof SObject || object instanceof SClass;
    return !differ && isValue(object) ? object.getClass() : null;
  }

  /** Whether all these slots of an object hold values. */
  @TruffleBoundary
  public static boolean areIn(SObject object, SlotDefinition[] slots) {
    DynamicObjectLibrary properties = DynamicObjectLibrary.getUncached();
    for (SlotDefinition slot : slots) {
      if (!isValue(properties.getOrDefault(object, slot, Nil.NIL))) {
        return false;
      }
    }
    return true;
  }
}
