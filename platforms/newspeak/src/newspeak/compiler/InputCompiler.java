package newspeak.compiler;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.frame.MaterializedFrame;
import java.util.ArrayList;
import java.util.List;
import newspeak.lexer.SourceText;
import newspeak.nodes.ContextNode;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.FrameKeepNode;
import newspeak.nodes.FreshClassNode;
import newspeak.nodes.LiteralNode;
import newspeak.nodes.SequenceNode;
import newspeak.nodes.VariableWriteNode;
import newspeak.objects.Nil;
import newspeak.objects.SBlock;
import newspeak.structure.ClassDefinition;
import newspeak.syntax.Access;
import newspeak.syntax.Body;
import newspeak.syntax.ClassTree;
import newspeak.syntax.Expression;
import newspeak.syntax.Pattern;
import newspeak.syntax.SlotTree;

/**
 * Makes the code of what a person types, input by input. An input that declares variables is like a
 * block around all inputs after it, so that they see these variables.
 */
public final class InputCompiler {
  private final ClassDefinition session;
  private final Object self;
  private Scope scope;
  private MaterializedFrame frame;

  /** `self` is an instance of the class `session`, whose members all inputs see. */
  public InputCompiler(ClassDefinition session, Object self) {
    this.session = session;
    this.self = self;
    this.scope = ClassScope.of(session);
  }

  /** The code of an input; a variable that nothing declares is declared by its assignment. */
  public SBlock code(SourceText source, Body written) {
    List<SlotTree> locals = new ArrayList<>(written.locals());
    written.statements().forEach(statement -> declareAssigned(statement, locals));
    Body body = new Body(
        locals, written.statements(), written.ends(), written.end());
    CodeScope inner = CodeScope.framed(CodeScope.Kind.INPUT, scope, List.of());
    ClassDefinition holder = holder(session, source);
    List<ExpressionNode> nodes = new ArrayList<>();
    nodes.add(keep(inner, !locals.isEmpty()));
    nodes.addAll(new ExpressionCompiler(holder, inner).statements(body));
    return block(holder, inner, nodes);
  }

  /** The code that declares a variable with a value. */
  public SBlock declaration(SourceText source, String name, Object value) {
    CodeScope inner = CodeScope.framed(CodeScope.Kind.INPUT, scope, List.of());
    return block(holder(session, source), inner, variable(inner, name, new LiteralNode(value)));
  }

  /**
   * The code that declares a class in a variable of its name. The class is that of a module, so it
   * is a value, but it may inherit from all that inputs see.
   */
  public SBlock declaration(SourceText source, ClassTree written) {
    CodeScope inner = CodeScope.framed(CodeScope.Kind.INPUT, scope, List.of());
    ClassDefinition holder = holder(session, source);
    // Before the variable, since a class may inherit from an older one of the same name.
    ExpressionNode[] inherited = new ExpressionCompiler(holder, inner).inherited(written);
    ClassDefinition definition = new ClassDefinition(session.universe(), written, null, null);
    return block(holder, inner, variable(inner, written.name(),
        new FreshClassNode(definition, new LiteralNode(Nil.NIL), inherited)));
  }

  private List<ExpressionNode> variable(CodeScope inner, String name, ExpressionNode value) {
    Variable variable = inner.declare(name, true);
    return List.of(keep(inner, true),
        VariableWriteNode.of(ContextNode.current(), variable.index(), variable.type(), value));
  }

  private SBlock block(ClassDefinition holder, CodeScope inner, List<ExpressionNode> nodes) {
    RootCallTarget target = MethodCompiler.root(holder, inner, SequenceNode.of(nodes),
        holder.name(), 0, holder.tree().source().text().length(), null).getCallTarget();
    return new SBlock(target, 0, self, frame);
  }

  /** When the code begins to run, its variables are there for the inputs to come. */
  private ExpressionNode keep(CodeScope inner, boolean declares) {
    return new FrameKeepNode(kept -> {
      if (declares) {
        scope = inner;
        frame = kept;
      }
    });
  }

  private void declareAssigned(Expression statement, List<SlotTree> locals) {
    for (Expression one = statement; one instanceof Expression.Assignment assignment;
        one = assignment.value()) {
      String name = assignment.name();
      if (!isKnown(name) && locals.stream().noneMatch(local -> local.name().equals(name))) {
        locals.add(new SlotTree(assignment.at(), Access.PRIVATE, name, true, null));
      }
    }
  }

  private boolean isKnown(String name) {
    for (Scope one = scope; one instanceof CodeScope code; one = code.outer()) {
      if (code.find(name) != null) {
        return true;
      }
    }
    return false;
  }

  /** Inputs have files of their own, by which mistakes in them are found. */
  static ClassDefinition holder(ClassDefinition around, SourceText source) {
    ClassTree empty = new ClassTree(source, 0, source.path(), Access.PRIVATE,
        new Pattern(0, "new", List.of()), null, List.of(), List.of(), List.of(), List.of(),
        List.of(), List.of(), true);
    return new ClassDefinition(around.universe(), empty, around, null);
  }
}
