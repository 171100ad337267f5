package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import com.oracle.truffle.api.nodes.IndirectCallNode;
import newspeak.objects.SClass;
import newspeak.structure.ClassDefinition;

/** `objL`: a fresh class, closed over this frame, and an instance of it. */
public final class ObjectLiteralNode extends ExpressionNode {
  private final ClassDefinition definition;
  @Child private ExpressionNode self;
  @Children private final ExpressionNode[] inherited;
  @Child private IndirectCallNode call = IndirectCallNode.create();

  /** `inherited`: the superclass, then the mixins. */
  public ObjectLiteralNode(
      ClassDefinition definition, ExpressionNode self, ExpressionNode[] inherited) {
    this.definition = definition;
    this.self = self;
    this.inherited = inherited;
  }

  @Override
  @ExplodeLoop
  public Object execute(VirtualFrame frame) {
    Object[] classes = new Object[inherited.length];
    for (int index = 0; index < classes.length; index++) {
      classes[index] = inherited[index].execute(frame);
    }
    SClass made = definition.universe().classFactory()
        .make(definition, self.execute(frame), frame.materialize(), classes);
    return call.call(made.layout().factory(), made);
  }
}
