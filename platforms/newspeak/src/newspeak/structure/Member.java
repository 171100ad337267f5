package newspeak.structure;

import newspeak.syntax.Access;

/** What a message can find. */
public sealed interface Member permits MethodDefinition, Member.Reader, Member.Writer,
    Member.Nested, Member.Factory {
  Access access();

  /** Reads a slot. */
  record Reader(SlotDefinition slot) implements Member {
    @Override
    public Access access() {
      return slot.access();
    }
  }

  /** Writes a slot. */
  record Writer(SlotDefinition slot) implements Member {
    @Override
    public Access access() {
      return slot.access();
    }
  }

  /** Reads a nested class, which is made at the first reading. */
  record Nested(ClassDefinition definition) implements Member {
    @Override
    public Access access() {
      return definition.tree().access();
    }
  }

  /** Makes an instance, by the primary factory. */
  record Factory(ClassDefinition definition) implements Member {
    @Override
    public Access access() {
      return Access.PUBLIC;
    }
  }
}
