package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.objects.Nil;

/** Makes a local nil again at the begin of a loop's turn; this says nothing about its type. */
public final class LocalResetNode extends ExpressionNode {
  private final int slot;

  public LocalResetNode(int slot) {
    this.slot = slot;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    frame.setObject(slot, Nil.NIL);
    return Nil.NIL;
  }
}
