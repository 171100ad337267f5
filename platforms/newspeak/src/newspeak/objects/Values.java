package newspeak.objects;

import java.math.BigInteger;

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
}
