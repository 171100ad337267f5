package newspeak.objects;

import com.oracle.truffle.api.interop.TruffleObject;

/** The one undefined object. */
public final class Nil implements TruffleObject {
  public static final Nil NIL = new Nil();

  private Nil() {}

  @Override
  public String toString() {
    return "nil";
  }
}
