package newspeak.actors;

import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.Nil;
import newspeak.objects.SResolver;
import newspeak.runtime.Universe;

/** Resolves the promise of a resolver. */
public final class ResolveNode extends ExpressionNode {
  @Child private ExpressionNode resolver;
  @Child private ExpressionNode value;
  @Child private ResolutionNode resolution;

  public ResolveNode(Universe universe, ExpressionNode[] arguments) {
    this.resolver = arguments[0];
    this.value = arguments[1];
    this.resolution = new ResolutionNode(universe);
  }

  @Override
  public Object execute(VirtualFrame frame) {
    SResolver one = (SResolver) resolver.execute(frame);
    resolution.execute(one.promise(), value.execute(frame));
    return Nil.NIL;
  }
}
