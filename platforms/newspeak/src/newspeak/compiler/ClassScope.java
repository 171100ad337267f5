package newspeak.compiler;

import newspeak.objects.SSymbol;
import newspeak.structure.ClassDefinition;

/** The members that one side of a class's text defines. */
record ClassScope(ClassDefinition definition, boolean classSide) implements Scope {
  boolean defines(SSymbol selector) {
    return classSide ? definition.classMembers().containsKey(selector)
        : definition.members().containsKey(selector);
  }

  @Override
  public Scope outer() {
    if (definition.outerScope() != null) {
      return definition.outerScope();
    }
    return definition.outer() == null ? null : new ClassScope(definition.outer(), false);
  }
}
