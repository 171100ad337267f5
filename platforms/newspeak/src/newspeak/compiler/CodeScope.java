package newspeak.compiler;

import com.oracle.truffle.api.frame.FrameDescriptor;
import com.oracle.truffle.api.frame.FrameSlotKind;
import com.oracle.truffle.api.frame.MaterializedFrame;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import newspeak.inspection.FrameInfo;
import newspeak.objects.Nil;
import newspeak.objects.SBlock;

/**
 * The variables of a method, of a block with a frame of its own, or of a block inlined into the
 * frame of the code around it.
 */
final class CodeScope implements Scope {
  enum Kind {
    METHOD,
    BLOCK,
    /** What a person types: a block, for it is in the frames of earlier inputs; yet `^` ends it. */
    INPUT,
    INLINED
  }

  private final Kind kind;
  private final Scope outer;
  private final CodeScope root;
  private final FrameDescriptor.Builder frame;
  private final List<String> parameters;
  private final Map<String, Variable> variables = new HashMap<>();
  private boolean usesContext;
  private boolean returnsLocally;
  private boolean returnsFromBlock;
  private int returnMarker = -1;

  private CodeScope(Kind kind, Scope outer, List<String> parameters) {
    this.kind = kind;
    this.outer = outer;
    this.parameters = parameters;
    this.root = kind == Kind.INLINED ? ((CodeScope) outer).root : this;
    this.frame = kind == Kind.INLINED ? root.frame
        : FrameDescriptor.newBuilder().defaultValue(Nil.NIL);
  }

  /** A method's, or of a block with a frame of its own; arguments follow the receiver. */
  static CodeScope framed(Kind kind, Scope outer, List<String> parameters) {
    CodeScope scope = new CodeScope(kind, outer, parameters);
    for (int index = 0; index < parameters.size(); index++) {
      scope.variables.put(parameters.get(index), Variable.argument(index + 1));
    }
    return scope;
  }

  static CodeScope inlined(CodeScope outer) {
    return new CodeScope(Kind.INLINED, outer, List.of());
  }

  /**
   * The scope of a frame of the running program, for code that sees its variables and those of the
   * frames around. A block that uses no variable outside has no reference to the frame around.
   */
  static CodeScope ofFrame(MaterializedFrame running) {
    FrameDescriptor descriptor = running.getFrameDescriptor();
    CodeScope written = (CodeScope) ((FrameInfo) descriptor.getInfo()).scope();
    Scope outer = written.outer;
    if (written.isBlock()) {
      MaterializedFrame around = ((SBlock) running.getArguments()[0]).context();
      outer = around == null ? written.around() : ofFrame(around);
    }
    CodeScope scope = framed(written.kind, outer, written.parameters);
    for (int slot = 0; slot < descriptor.getNumberOfSlots(); slot++) {
      // Two inlined blocks may have locals of one name: the one that is set counts.
      if (descriptor.getSlotName(slot) instanceof String local
          && (running.getValue(slot) != Nil.NIL || scope.find(local) == null)) {
        boolean mutable = descriptor.getSlotInfo(slot) == Boolean.TRUE;
        scope.variables.put(local, Variable.local(slot, mutable));
      }
    }
    return scope;
  }

  /** The class that this code is part of, or null. */
  ClassScope around() {
    Scope one = this;
    while (one instanceof CodeScope code) {
      one = code.outer;
    }
    return (ClassScope) one;
  }

  @Override
  public Scope outer() {
    return outer;
  }

  boolean isBlock() {
    return kind == Kind.BLOCK || kind == Kind.INPUT;
  }

  /** Whether a `^` in this frame leaves code outside of it. */
  boolean returnsOutwards() {
    return kind == Kind.BLOCK;
  }

  boolean isInlined() {
    return kind == Kind.INLINED;
  }

  /** The scope that owns the frame. */
  CodeScope root() {
    return root;
  }

  Variable declare(String name, boolean mutable) {
    // What a person has declared, later inputs may assign.
    boolean assignable = mutable || kind == Kind.INPUT;
    int slot = frame.addSlot(FrameSlotKind.Illegal, name, assignable);
    Variable variable = Variable.local(slot, assignable);
    variables.put(name, variable);
    return variable;
  }

  int hiddenSlot() {
    return frame.addSlot(FrameSlotKind.Illegal, null, null);
  }

  Variable find(String name) {
    return variables.get(name);
  }

  FrameDescriptor descriptor() {
    return frame.info(new FrameInfo(parameters, isBlock(), this)).build();
  }

  /** The method, block for block outwards, whose `^` a `^` here is. */
  CodeScope home() {
    CodeScope scope = root;
    while (scope.returnsOutwards()) {
      scope = ((CodeScope) scope.outer).root;
    }
    return scope;
  }

  /** How many blocks with frames of their own are around this code, up to its method. */
  int depth() {
    int depth = 0;
    CodeScope one = root;
    while (one.isBlock() && one.outer instanceof CodeScope next) {
      depth++;
      one = next.root;
    }
    return depth;
  }

  /** An object literal here may look at any frame around it, once its methods run. */
  void useContexts() {
    CodeScope one = root;
    while (one.isBlock() && one.outer instanceof CodeScope next) {
      one.usesContext = true;
      one = next.root;
    }
  }

  void useContext() {
    usesContext = true;
  }

  boolean usesContext() {
    return usesContext;
  }

  /** A block of this scope's frame holds a `^`. */
  void returnFromBlock() {
    root.returnsFromBlock = true;
  }

  boolean returnsFromBlock() {
    return returnsFromBlock;
  }

  void returnLocally() {
    root.returnsLocally = true;
  }

  boolean returnsLocally() {
    return returnsLocally;
  }

  /** The slot that says whether this method still runs, for blocks that return from it. */
  int returnMarker() {
    if (returnMarker < 0) {
      returnMarker = hiddenSlot();
    }
    return returnMarker;
  }

  boolean hasReturnMarker() {
    return returnMarker >= 0;
  }
}
