package newspeak.structure;

import com.oracle.truffle.api.Assumption;
import com.oracle.truffle.api.CompilerDirectives;
import newspeak.objects.SSymbol;
import newspeak.syntax.Access;
import newspeak.syntax.SlotTree;

/** A slot of a class; equal only to itself, so that slots of one name in two classes differ. */
public final class SlotDefinition {
  private final SlotTree tree;
  private final SSymbol name;
  private final Assumption untouched = Assumption.create("no message has stored a value");
  private final Assumption primitive = Assumption.create("all are numbers or booleans");

  SlotDefinition(SlotTree tree) {
    this.tree = tree;
    this.name = SSymbol.of(tree.name());
  }

  public SSymbol name() {
    return name;
  }

  public Access access() {
    return tree.access();
  }

  public boolean isMutable() {
    return tree.mutable();
  }

  /**
   * Whether a new object is to hold nil in this slot until it is written. A slot whose first values
   * are numbers or booleans must not: with nil in it, it could not hold them without boxes.
   */
  public boolean beginsAsNil() {
    return untouched.isValid() || !primitive.isValid();
  }

  /** Takes note of a value before a message stores it. */
  public void note(Object value) {
    if (untouched.isValid() || primitive.isValid() && !isPrimitive(value)) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      untouched.invalidate();
      if (!isPrimitive(value)) {
        primitive.invalidate();
      }
    }
  }

  private static boolean isPrimitive(Object value) {
    return value instanceof Long || value instanceof Double || value instanceof Boolean;
  }

  public SlotTree tree() {
    return tree;
  }

  @Override
  public String toString() {
    return name.text();
  }
}
