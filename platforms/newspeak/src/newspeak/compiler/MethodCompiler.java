package newspeak.compiler;

import com.oracle.truffle.api.source.Source;
import com.oracle.truffle.api.source.SourceSection;
import java.util.ArrayList;
import java.util.List;
import newspeak.nodes.CodeRoot;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.InheritanceNode;
import newspeak.nodes.LocalReturn;
import newspeak.nodes.NonLocalReturn;
import newspeak.nodes.SequenceNode;
import newspeak.structure.ClassDefinition;
import newspeak.structure.MethodDefinition;
import newspeak.syntax.Expression;
import newspeak.syntax.MethodTree;

/** Makes the nodes of methods. */
public final class MethodCompiler {
  private MethodCompiler() {}

  public static CodeRoot method(MethodDefinition method) {
    MethodTree tree = method.tree();
    ClassDefinition holder = method.part().definition();
    CodeScope scope = CodeScope.framed(CodeScope.Kind.METHOD,
        new ClassScope(method.part(), method.isClassSide()), tree.pattern().parameters());
    ExpressionCompiler code = new ExpressionCompiler(holder, scope);
    List<ExpressionNode> nodes = new ArrayList<>(code.statements(tree.body()));
    List<Expression> statements = tree.body().statements();
    if (statements.isEmpty()
        || !(statements.get(statements.size() - 1) instanceof Expression.Return)) {
      nodes.add(code.self());
    }
    String name = holder.name() + (method.isClassSide() ? " class" : "") + ">>#"
        + tree.pattern().selector();
    return root(holder, scope, SequenceNode.of(nodes), name, tree.pattern().at(), tree.body().end(),
        () -> method(method));
  }

  /** A root around code whose scope is complete. */
  static CodeRoot root(ClassDefinition holder, CodeScope scope, ExpressionNode code, String name,
      int start, int end, java.util.function.Supplier<CodeRoot> again) {
    ExpressionNode body = code;
    if (scope.returnsLocally()) {
      body = new LocalReturn.Target(body);
    }
    if (scope.hasReturnMarker()) {
      body = new NonLocalReturn.Target(body, scope.returnMarker());
    }
    Source source = holder.universe().source(holder.tree().source());
    // An object literal has a name that its text does not contain.
    int last = Math.min(end, source.getLength());
    SourceSection section = source.createSection(start, last - start);
    if (!(code instanceof InheritanceNode)) { // its array is no value that a tool could show
      body.asRoot();
    }
    return new CodeRoot(
        holder.universe().language(), scope.descriptor(), body, name, section, again);
  }
}
