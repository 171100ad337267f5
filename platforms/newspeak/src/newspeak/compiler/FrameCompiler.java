package newspeak.compiler;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.frame.MaterializedFrame;
import java.util.List;
import newspeak.inspection.FrameInfo;
import newspeak.lexer.SourceText;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.SBlock;
import newspeak.structure.ClassDefinition;
import newspeak.syntax.Body;

/** Makes the code of expressions that a person evaluates in a frame of the running program. */
public final class FrameCompiler {
  private FrameCompiler() {}

  /** The expressions as a block inside the code of the frame. */
  public static SBlock code(MaterializedFrame frame, SourceText source, Body written) {
    CodeScope around = CodeScope.ofFrame(frame);
    CodeScope inner = CodeScope.framed(CodeScope.Kind.INPUT, around, List.of());
    ClassDefinition holder = InputCompiler.holder(around.around().definition(), source);
    List<ExpressionNode> nodes = new ExpressionCompiler(holder, inner).statements(written);
    RootCallTarget target = MethodCompiler.root(holder, inner, BlockCompiler.sequence(nodes),
        holder.name(), 0, source.text().length(), null).getCallTarget();
    return new SBlock(target, 0, self(frame), frame);
  }

  private static Object self(MaterializedFrame frame) {
    Object first = frame.getArguments()[0];
    return ((FrameInfo) frame.getFrameDescriptor().getInfo()).block() ? ((SBlock) first).self()
        : first;
  }
}
