package newspeak.nodes;

import com.oracle.truffle.api.frame.MaterializedFrame;
import com.oracle.truffle.api.frame.VirtualFrame;
import java.util.function.Consumer;
import newspeak.objects.Nil;

/** Hands the frame of what a person typed to the inputs that follow: they see its variables. */
public final class FrameKeepNode extends ExpressionNode {
  private final Consumer<MaterializedFrame> keeper;

  public FrameKeepNode(Consumer<MaterializedFrame> keeper) {
    this.keeper = keeper;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    keeper.accept(frame.materialize());
    return Nil.NIL;
  }
}
