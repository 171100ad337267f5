package newspeak.structure;

/**
 * A definition as a part of a chain of superclasses. A chain may have the same part on several
 * levels: `home` is the level, or null for the highest one.
 */
public record Part(ClassDefinition definition, Layout home) {
  /** The part on the highest level. */
  public static Part of(ClassDefinition definition) {
    return new Part(definition, null);
  }

  /** The level of this part in the chain that begins with a layout; null if it has none. */
  public Layout in(Layout chain) {
    return home != null ? home : chain.highestWith(definition);
  }
}
