package newspeak.structure;

import newspeak.objects.SSymbol;
import newspeak.syntax.Access;
import newspeak.syntax.SlotTree;

/** A slot of a class; equal only to itself, so that slots of one name in two classes differ. */
public final class SlotDefinition {
  private final SlotTree tree;
  private final SSymbol name;

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

  public SlotTree tree() {
    return tree;
  }

  @Override
  public String toString() {
    return name.text();
  }
}
