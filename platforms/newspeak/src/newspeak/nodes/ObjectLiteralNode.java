package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.IndirectCallNode;
import newspeak.objects.SClass;

/** `objL`: an instance of a fresh class, closed over this frame. */
public final class ObjectLiteralNode extends ExpressionNode {
  @Child private FreshClassNode fresh;
  @Child private IndirectCallNode call = IndirectCallNode.create();

  public ObjectLiteralNode(FreshClassNode fresh) {
    this.fresh = fresh;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    SClass made = fresh.execute(frame);
    return call.call(made.layout().factory(), made);
  }
}
