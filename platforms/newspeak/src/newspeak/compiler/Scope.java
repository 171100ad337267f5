package newspeak.compiler;

/** Where a name is looked for: a class's members or the variables of code. */
public sealed interface Scope permits ClassScope, CodeScope {
  /** The next scope outwards, or null. */
  Scope outer();
}
