package newspeak.nodes;

import com.oracle.truffle.api.dsl.TypeSystemReference;
import com.oracle.truffle.api.frame.Frame;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.instrumentation.GenerateWrapper;
import com.oracle.truffle.api.instrumentation.InstrumentableNode;
import com.oracle.truffle.api.instrumentation.ProbeNode;
import com.oracle.truffle.api.instrumentation.StandardTags;
import com.oracle.truffle.api.instrumentation.Tag;
import com.oracle.truffle.api.interop.NodeLibrary;
import com.oracle.truffle.api.library.ExportLibrary;
import com.oracle.truffle.api.library.ExportMessage;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.nodes.RootNode;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import com.oracle.truffle.api.source.SourceSection;
import newspeak.inspection.FrameScope;

/**
 * Code that has a value. Truffle's tools put wrappers around the nodes that have a tag, once a
 * person asks for such a tool.
 */
@TypeSystemReference(Types.class)
@GenerateWrapper
@ExportLibrary(NodeLibrary.class)
public abstract class ExpressionNode extends Node implements InstrumentableNode {
  private static final int EXPRESSION = 1;
  private static final int CALL = 2;
  private static final int STATEMENT = 4;
  private static final int ROOT = 8;

  private int offset = -1;
  private int start = -1;
  private int end = -1;
  private int tags;

  public abstract Object execute(VirtualFrame frame);

  public long executeLong(VirtualFrame frame) throws UnexpectedResultException {
    return TypesGen.expectLong(execute(frame));
  }

  public double executeDouble(VirtualFrame frame) throws UnexpectedResultException {
    return TypesGen.expectDouble(execute(frame));
  }

  public boolean executeBoolean(VirtualFrame frame) throws UnexpectedResultException {
    return TypesGen.expectBoolean(execute(frame));
  }

  /** Executes for the effect alone. */
  public void executeVoid(VirtualFrame frame) {
    execute(frame);
  }

  /** Says where in the text this is. */
  public final ExpressionNode at(int place) {
    offset = place;
    return this;
  }

  public final int offset() {
    return offset;
  }

  public final ExpressionNode asExpression() {
    tags |= EXPRESSION;
    return this;
  }

  public final ExpressionNode asCall() {
    tags |= EXPRESSION | CALL;
    return this;
  }

  /** A debugger stops before it; `end` is the offset behind its text. */
  public final ExpressionNode asStatement(int first, int behind) {
    tags |= STATEMENT;
    start = first;
    end = behind;
    return this;
  }

  /** All the code of a method, block or initialiser. */
  public final ExpressionNode asRoot() {
    tags |= ROOT;
    return this;
  }

  /** Replaces this node; tools see the other one as they saw this one. */
  final <T extends ExpressionNode> T become(T replacement) {
    ExpressionNode other = replacement;
    other.tags = tags;
    other.start = start;
    other.end = end;
    T inserted = replace(replacement);
    notifyInserted(inserted);
    return inserted;
  }

  @Override
  public final SourceSection getSourceSection() {
    RootNode root = getRootNode();
    if (root == null || root.getSourceSection() == null) {
      return null;
    }
    var source = root.getSourceSection().getSource();
    if (start >= 0) {
      return source.createSection(start, end - start);
    }
    if ((tags & ROOT) != 0) {
      return root.getSourceSection();
    }
    return offset < 0 || offset >= source.getLength() ? null : source.createSection(offset, 1);
  }

  @Override
  public final boolean isInstrumentable() {
    return tags != 0;
  }

  @Override
  public final boolean hasTag(Class<? extends Tag> tag) {
    return tag == StandardTags.StatementTag.class && (tags & STATEMENT) != 0
        || tag == StandardTags.RootTag.class && (tags & ROOT) != 0
        || tag == StandardTags.CallTag.class && (tags & CALL) != 0
        || tag == StandardTags.ExpressionTag.class && (tags & EXPRESSION) != 0;
  }

  @Override
  public final WrapperNode createWrapper(ProbeNode probe) {
    return new ExpressionNodeWrapper(this, probe);
  }

  @ExportMessage
  final boolean hasScope(Frame frame) {
    return frame == null || FrameScope.exists(frame);
  }

  @ExportMessage
  final Object getScope(Frame frame, boolean entering) {
    return new FrameScope(getRootNode().getName(), frame == null ? null : frame.materialize());
  }
}
