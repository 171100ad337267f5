package newspeak.nodes;

import com.oracle.truffle.api.TruffleLanguage;
import com.oracle.truffle.api.frame.FrameDescriptor;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.RootNode;
import com.oracle.truffle.api.source.SourceSection;
import java.util.function.Supplier;

/** The root of a method, block or initialiser; splits by being compiled once more. */
public final class CodeRoot extends RootNode {
  @Child private ExpressionNode body;
  private final String name;
  private final SourceSection section;
  private final Supplier<CodeRoot> again;

  /** `again` makes the same root with fresh nodes; null where it may not be split. */
  public CodeRoot(TruffleLanguage<?> language, FrameDescriptor descriptor, ExpressionNode body,
      String name, SourceSection section, Supplier<CodeRoot> again) {
    super(language, descriptor);
    this.body = body;
    this.name = name;
    this.section = section;
    this.again = again;
  }

  @Override
  public Object execute(VirtualFrame frame) {
    return body.execute(frame);
  }

  @Override
  public String getName() {
    return name;
  }

  /** What the compiler's traces call it. */
  @Override
  public String toString() {
    return name;
  }

  @Override
  public SourceSection getSourceSection() {
    return section;
  }

  @Override
  public boolean isCloningAllowed() {
    return again != null;
  }

  @Override
  protected boolean isCloneUninitializedSupported() {
    return again != null;
  }

  @Override
  protected RootNode cloneUninitialized() {
    return again.get();
  }
}
