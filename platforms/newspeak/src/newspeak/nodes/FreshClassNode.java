package newspeak.nodes;

import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.objects.SClass;
import newspeak.structure.ClassDefinition;

/** Makes a class in the middle of code. */
public final class FreshClassNode extends ExpressionNode {
  private final ClassDefinition definition;
  @Child private ExpressionNode enclosing;
  @Children private final ExpressionNode[] inherited;

  /** `enclosing`: the object around the class; `inherited`: the superclass, then the mixins. */
  public FreshClassNode(
      ClassDefinition definition, ExpressionNode enclosing, ExpressionNode[] inherited) {
    this.definition = definition;
    this.enclosing = enclosing;
    this.inherited = inherited;
  }

  @Override
  @ExplodeLoop
  public SClass execute(VirtualFrame frame) {
    Object[] classes = new Object[inherited.length];
    for (int index = 0; index < classes.length; index++) {
      classes[index] = inherited[index].execute(frame);
    }
    return definition.universe().classFactory()
        .make(definition, enclosing.execute(frame), frame.materialize(), classes);
  }
}
