package newspeak.inspection;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.TruffleLanguage;
import com.oracle.truffle.api.frame.Frame;
import com.oracle.truffle.api.frame.FrameDescriptor;
import com.oracle.truffle.api.frame.MaterializedFrame;
import com.oracle.truffle.api.interop.InteropLibrary;
import com.oracle.truffle.api.interop.TruffleObject;
import com.oracle.truffle.api.interop.UnknownIdentifierException;
import com.oracle.truffle.api.interop.UnsupportedMessageException;
import com.oracle.truffle.api.library.ExportLibrary;
import com.oracle.truffle.api.library.ExportMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import newspeak.objects.Nil;
import newspeak.objects.SBlock;
import newspeak.runtime.NewspeakLanguage;

/** The variables of a frame: self, arguments, locals. A block's parent is the frame around it. */
@ExportLibrary(InteropLibrary.class)
public final class FrameScope implements TruffleObject {
  private static final String SELF = "self";

  private final String name;
  private final MaterializedFrame frame;

  /** `frame` is null where the code does not run: then no variable has a value. */
  public FrameScope(String name, MaterializedFrame frame) {
    this.name = name;
    this.frame = frame;
  }

  /** Whether the frame is one of a method, block, initialiser or input. */
  public static boolean exists(Frame frame) {
    return frame.getFrameDescriptor().getInfo() instanceof FrameInfo;
  }

  private Map<String, Object> values() {
    Map<String, Object> values = new LinkedHashMap<>();
    if (frame == null) {
      return values;
    }
    FrameDescriptor descriptor = frame.getFrameDescriptor();
    FrameInfo info = (FrameInfo) descriptor.getInfo();
    Object first = frame.getArguments()[0];
    values.put(SELF, info.block() ? ((SBlock) first).self() : first);
    for (int index = 0; index < info.parameters().size(); index++) {
      values.put(info.parameters().get(index), frame.getArguments()[index + 1]);
    }
    for (int slot = 0; slot < descriptor.getNumberOfSlots(); slot++) {
      if (descriptor.getSlotName(slot) instanceof String local) {
        Object value = frame.getValue(slot);
        // Two inlined blocks may have locals of one name: the one that is set counts.
        if (value != Nil.NIL || !values.containsKey(local)) {
          values.put(local, value);
        }
      }
    }
    return values;
  }

  private MaterializedFrame around() {
    return frame != null && ((FrameInfo) frame.getFrameDescriptor().getInfo()).block()
        ? ((SBlock) frame.getArguments()[0]).context() : null;
  }

  @ExportMessage
  boolean isScope() {
    return true;
  }

  @ExportMessage
  boolean hasMembers() {
    return true;
  }

  /** The names of this frame's variables, then those of the frames around. */
  @ExportMessage
  @TruffleBoundary
  Object getMembers(@SuppressWarnings("unused") boolean internal) {
    ArrayList<String> names = new ArrayList<>();
    for (FrameScope one = this; one != null; one = one.parent()) {
      names.addAll(one.values().keySet());
    }
    return new MemberNames(names);
  }

  @ExportMessage
  @TruffleBoundary
  boolean isMemberReadable(String member) {
    for (FrameScope one = this; one != null; one = one.parent()) {
      if (one.values().containsKey(member)) {
        return true;
      }
    }
    return false;
  }

  @ExportMessage
  @TruffleBoundary
  Object readMember(String member) throws UnknownIdentifierException {
    for (FrameScope one = this; one != null; one = one.parent()) {
      Object value = one.values().get(member);
      if (value != null) {
        return View.of(value);
      }
    }
    throw UnknownIdentifierException.create(member);
  }

  private FrameScope parent() {
    MaterializedFrame outer = around();
    return outer == null ? null : new FrameScope("around " + name, outer);
  }

  @ExportMessage
  @TruffleBoundary
  boolean hasScopeParent() {
    return around() != null;
  }

  @ExportMessage
  @TruffleBoundary
  Object getScopeParent() throws UnsupportedMessageException {
    FrameScope parent = parent();
    if (parent == null) {
      throw UnsupportedMessageException.create();
    }
    return parent;
  }

  @ExportMessage
  boolean hasLanguage() {
    return true;
  }

  @ExportMessage
  Class<? extends TruffleLanguage<?>> getLanguage() {
    return NewspeakLanguage.class;
  }

  @ExportMessage
  Object toDisplayString(@SuppressWarnings("unused") boolean sideEffects) {
    return name;
  }
}
