package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.DirectCallNode;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.objects.SArray;
import newspeak.objects.SClass;
import newspeak.objects.SInstance;
import newspeak.objects.SObject;
import newspeak.structure.Layout;

/** The primary factory: an object, initialised, and checked where it must be a value. */
public final class InstantiateNode extends ExpressionNode {
  private final Layout layout;
  private final Layout level;
  private final boolean silent;
  @Children private final UnsetSlotNode[] unset;
  @Child private DirectCallNode initialise;
  @Child private ValueCheckNode check;

  /** `level` is the layout itself, or the superclass whose factory makes the instance. */
  public InstantiateNode(Layout layout, Layout level) {
    this.layout = layout;
    this.level = level;
    this.silent = level.initialisesNothing() && !layout.isValue();
    this.unset = UnsetSlotNode.of(layout);
    this.check = layout.isValue() ? ValueCheckNode.of(layout) : null;
  }

  @Override
  @ExplodeLoop
  public Object execute(VirtualFrame frame) {
    Object[] arguments = frame.getArguments();
    SClass cls = (SClass) arguments[0];
    SObject object = layout.isArray() ? new SArray(cls) : SInstance.of(layout, cls);
    for (UnsetSlotNode slot : unset) {
      slot.execute(object);
    }
    if (silent) {
      return object;
    }
    if (initialise == null) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      initialise = insert(DirectCallNode.create(level.initialiser(0)));
    }
    Object[] all = new Object[arguments.length];
    all[0] = object;
    System.arraycopy(arguments, 1, all, 1, all.length - 1);
    initialise.call(all);
    if (check != null) {
      check.execute(object);
    }
    return object;
  }
}
