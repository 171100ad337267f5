package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.frame.FrameSlotKind;

/**
 * The type that a local's values have had so far. The nodes that write the local share it, so all
 * of them store without a box while there is one type, and all with a box afterwards. A constant
 * to the compiler, as the descriptor of a block's outer frame is not.
 */
public final class LocalType {
  @CompilationFinal private FrameSlotKind kind = FrameSlotKind.Illegal;

  /** Whether values of this type are stored without a box; the first one decides. */
  boolean admits(FrameSlotKind wanted) {
    if (kind == FrameSlotKind.Illegal) {
      change(wanted);
    }
    return kind == wanted;
  }

  /** From now on values are stored with a box. */
  void generalise() {
    if (kind != FrameSlotKind.Object) {
      change(FrameSlotKind.Object);
    }
  }

  private void change(FrameSlotKind wanted) {
    CompilerDirectives.transferToInterpreterAndInvalidate();
    kind = wanted;
  }
}
