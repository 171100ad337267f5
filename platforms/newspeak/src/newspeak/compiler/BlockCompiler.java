package newspeak.compiler;

import java.util.List;
import newspeak.nodes.BlockLiteralNode;
import newspeak.nodes.CodeRoot;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.LiteralNode;
import newspeak.nodes.NonLocalReturn;
import newspeak.nodes.SequenceNode;
import newspeak.objects.Nil;
import newspeak.syntax.Expression;

/** Makes the nodes of blocks: of their own, or as a part of the code around them. */
final class BlockCompiler {
  private final ExpressionCompiler code;

  BlockCompiler(ExpressionCompiler code) {
    this.code = code;
  }

  ExpressionNode literal(Expression.BlockLiteral block) {
    CodeScope inner =
        CodeScope.framed(CodeScope.Kind.BLOCK, code.scope(), block.parameters());
    CodeRoot root = root(block, inner);
    return new BlockLiteralNode(
        code.self(), root.getCallTarget(), block.parameters().size(), inner.usesContext());
  }

  private CodeRoot root(Expression.BlockLiteral block, CodeScope inner) {
    ExpressionNode body = sequence(code.in(inner).statements(block.body()));
    if (inner.returnsFromBlock()) {
      body = new NonLocalReturn.BlockTarget(body);
    }
    return MethodCompiler.root(code.holder(), inner, body, code.holder().name() + " block",
        block.at(), block.body().end() + 1, () -> root(block,
            CodeScope.framed(CodeScope.Kind.BLOCK, code.scope(), block.parameters())));
  }

  /** The code of a block without arguments as a part of this frame. */
  ExpressionNode inlined(Expression.BlockLiteral block) {
    return sequence(code.in(CodeScope.inlined(code.scope())).statements(block.body()));
  }

  static ExpressionNode sequence(List<ExpressionNode> nodes) {
    return nodes.isEmpty() ? new LiteralNode(Nil.NIL) : SequenceNode.of(nodes);
  }
}
