package newspeak.compiler;

import com.oracle.truffle.api.frame.FrameDescriptor;
import java.util.ArrayList;
import java.util.List;
import newspeak.nodes.CodeRoot;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.InheritanceNode;
import newspeak.nodes.InitialiseNode;
import newspeak.nodes.InstantiateNode;
import newspeak.nodes.SequenceNode;
import newspeak.nodes.SlotInitialiseNode;
import newspeak.objects.SSymbol;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;
import newspeak.structure.Part;
import newspeak.syntax.ClassTree;
import newspeak.syntax.Expression;
import newspeak.syntax.Inheritance;
import newspeak.syntax.SlotTree;

/** Makes the nodes by which classes and their instances come about. */
public final class InitialiserCompiler {
  private static final String DEFAULT_FACTORY = "new";

  private InitialiserCompiler() {}

  /** Answers an array of the superclass and the mixins; self is the object around the class. */
  public static CodeRoot inheritance(ClassDefinition definition) {
    ClassTree tree = definition.tree();
    Scope outer = definition.outer() == null ? null : ClassScope.of(definition.outer());
    CodeScope scope = CodeScope.framed(CodeScope.Kind.METHOD, outer, List.of());
    ClassDefinition around = definition.outer() == null ? definition : definition.outer();
    ExpressionCompiler code = new ExpressionCompiler(around, scope);
    List<ExpressionNode> nodes = new ArrayList<>();
    nodes.add(tree.superclass() == null ? code.messages().implicit("Object", List.of())
        : code.compile(tree.superclass().reference()));
    tree.mixins().forEach(mixin -> nodes.add(code.compile(mixin.reference())));
    ExpressionNode body = new InheritanceNode(nodes.toArray(new ExpressionNode[nodes.size()]));
    return MethodCompiler.root(
        definition, scope, body, definition.name() + " inherits", tree.at(), tree.at(), null);
  }

  /** An initialiser; `whole` with what is inherited and mixed in, else only the class's own. */
  public static CodeRoot initialiser(Part own, boolean whole) {
    ClassDefinition definition = own.definition();
    ClassTree tree = definition.tree();
    CodeScope scope = CodeScope.framed(CodeScope.Kind.METHOD,
        new ClassScope(own, false), tree.factory().parameters());
    ExpressionCompiler code = new ExpressionCompiler(definition, scope);
    List<ExpressionNode> nodes = new ArrayList<>();
    if (whole) {
      nodes.add(inherited(own, code, tree.superclass(), 0));
      for (int index = 0; index < tree.mixins().size(); index++) {
        nodes.add(inherited(own, code, tree.mixins().get(index), index + 1));
      }
    }
    int end = tree.at() + tree.name().length();
    for (SlotTree slot : tree.slots()) {
      if (slot.initial() != null) {
        nodes.add(new SlotInitialiseNode(
            definition.slot(slot), code.self(), code.compile(slot.initial()))
            .asStatement(slot.at(), slot.at() + slot.name().length()));
        end = slot.at() + slot.name().length();
      }
    }
    for (Expression one : tree.initialisers()) {
      nodes.add(code.compile(one).asStatement(one.start(), one.at() + 1));
      end = one.at() + 1;
    }
    nodes.add(code.self());
    return MethodCompiler.root(definition, scope, SequenceNode.of(nodes),
        definition.name() + ">>#" + tree.factory().selector(), tree.at(), end,
        () -> initialiser(own, whole));
  }

  /** Initialises what the part with this index brings: 0 is the superclass, then the mixins. */
  private static ExpressionNode inherited(
      Part own, ExpressionCompiler code, Inheritance clause, int part) {
    boolean written = clause != null && clause.selector() != null;
    SSymbol selector = SSymbol.of(written ? clause.selector() : DEFAULT_FACTORY);
    ExpressionNode[] arguments =
        written ? code.all(clause.arguments()) : new ExpressionNode[0];
    return new InitialiseNode(own, part, selector, written, code.self(), arguments);
  }

  /** Makes an instance of a class with this layout, by the factory on a level of it. */
  public static CodeRoot factory(Layout layout, Layout level) {
    ClassDefinition definition = level.definition();
    return new CodeRoot(definition.universe().language(), FrameDescriptor.newBuilder().build(),
        new InstantiateNode(layout, level),
        definition.name() + " class>>#" + definition.factory().text(), null,
        () -> factory(layout, level));
  }
}
