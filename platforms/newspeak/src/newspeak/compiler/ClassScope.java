package newspeak.compiler;

import newspeak.objects.SSymbol;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Part;

/** The members that one side of a class's text defines. */
record ClassScope(Part part, boolean classSide) implements Scope {
  /** The side of the instances. */
  static ClassScope of(ClassDefinition definition) {
    return new ClassScope(Part.of(definition), false);
  }

  ClassDefinition definition() {
    return part.definition();
  }

  boolean defines(SSymbol selector) {
    return classSide ? definition().classMembers().containsKey(selector)
        : definition().members().containsKey(selector);
  }

  @Override
  public Scope outer() {
    if (definition().outerScope() != null) {
      return definition().outerScope();
    }
    return definition().outer() == null ? null : of(definition().outer());
  }
}
