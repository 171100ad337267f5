package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.dispatch.SlotWriteNode;
import newspeak.objects.SObject;
import newspeak.structure.SlotDefinition;

/** Gives a slot its first value, be it mutable or not. */
public final class SlotInitialiseNode extends ExpressionNode {
  @Child private ExpressionNode self;
  @Child private ExpressionNode value;
  @Child private SlotWriteNode write;

  public SlotInitialiseNode(SlotDefinition slot, ExpressionNode self, ExpressionNode value) {
    this.self = self;
    this.value = value;
    this.write = SlotWriteNode.of(slot);
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Object initial = value.execute(frame);
    write.execute((SObject) self.execute(frame), initial);
    return initial;
  }
}
