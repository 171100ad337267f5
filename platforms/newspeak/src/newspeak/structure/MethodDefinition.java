package newspeak.structure;

import com.oracle.truffle.api.RootCallTarget;
import newspeak.compiler.MethodCompiler;
import newspeak.objects.Nil;
import newspeak.objects.SSymbol;
import newspeak.syntax.Access;
import newspeak.syntax.Expression;
import newspeak.syntax.MethodTree;

/** A method of a class; its nodes are made when it is first called. */
public final class MethodDefinition implements Member {
  private final Part part;
  private final MethodTree tree;
  private final boolean classSide;
  private final SSymbol selector;
  private RootCallTarget target;

  MethodDefinition(Part part, MethodTree tree, boolean classSide) {
    this.part = part;
    this.tree = tree;
    this.classSide = classSide;
    this.selector = SSymbol.of(tree.pattern().selector());
  }

  /** The same method on another level of a chain of superclasses. */
  MethodDefinition at(Layout home) {
    return new MethodDefinition(new Part(part.definition(), home), tree, classSide);
  }

  public Part part() {
    return part;
  }

  public MethodTree tree() {
    return tree;
  }

  public boolean isClassSide() {
    return classSide;
  }

  public SSymbol selector() {
    return selector;
  }

  @Override
  public Access access() {
    return tree.access();
  }

  /** What every call answers if the code is a literal alone; else null. */
  public Object constant() {
    return tree.body().locals().isEmpty() && tree.body().statements().size() == 1
        && tree.body().statements().get(0) instanceof Expression.Return back
        && back.value() instanceof Expression.Literal literal
        ? literal.value() == null ? Nil.NIL : literal.value() : null;
  }

  public synchronized RootCallTarget target() {
    if (target == null) {
      target = MethodCompiler.method(this).getCallTarget();
    }
    return target;
  }
}
