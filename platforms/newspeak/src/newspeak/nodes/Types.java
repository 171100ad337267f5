package newspeak.nodes;

import com.oracle.truffle.api.dsl.TypeCast;
import com.oracle.truffle.api.dsl.TypeCheck;
import com.oracle.truffle.api.dsl.TypeSystem;

/**
 * The types that nodes pass on without boxes. Boxes of booleans are only ever the two constants, so
 * a boolean is known by its identity: the compiler then needs no load to follow one to the branch
 * that it decides.
 */
@TypeSystem({long.class, double.class, boolean.class})
public abstract class Types {
  @TypeCheck(boolean.class)
  public static boolean isBoolean(Object value) {
    return value instanceof Boolean;
  }

  @TypeCast(boolean.class)
  public static boolean asBoolean(Object value) {
    return value == Boolean.TRUE;
  }
}
