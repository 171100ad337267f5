package newspeak.objects;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.frame.MaterializedFrame;
import com.oracle.truffle.api.interop.TruffleObject;

/** A block closed over the frame in which it was evaluated. */
public final class SBlock implements TruffleObject {
  private final RootCallTarget target;
  private final int arity;
  private final Object self;
  private final MaterializedFrame context;

  public SBlock(RootCallTarget target, int arity, Object self, MaterializedFrame context) {
    this.target = target;
    this.arity = arity;
    this.self = self;
    this.context = context;
  }

  public RootCallTarget target() {
    return target;
  }

  public int arity() {
    return arity;
  }

  public Object self() {
    return self;
  }

  public MaterializedFrame context() {
    return context;
  }
}
