package newspeak.inspection;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.exception.AbstractTruffleException;
import com.oracle.truffle.api.frame.MaterializedFrame;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExecutableNode;
import newspeak.compiler.FrameCompiler;
import newspeak.lexer.SourceText;
import newspeak.lexer.SyntaxMistake;
import newspeak.objects.SBlock;
import newspeak.runtime.NewspeakLanguage;
import newspeak.runtime.SException;
import newspeak.runtime.Sending;
import newspeak.runtime.Universe;
import newspeak.syntax.Input;
import newspeak.syntax.Parser;
import newspeak.syntax.SyntaxErrors;

/** Evaluates what a person typed in a debugger, in the frame at which the program stopped. */
public final class EvaluationNode extends ExecutableNode {
  private final Universe universe;
  private final SourceText source;

  public EvaluationNode(NewspeakLanguage language, Universe universe, String text) {
    super(language);
    this.universe = universe;
    this.source = new SourceText("evaluation", text);
  }

  /** What the debugger shows in place of a value. */
  private static final class Mistake extends AbstractTruffleException {
    private static final long serialVersionUID = 1L;

    Mistake(String message) {
      super(message);
    }
  }

  @Override
  public Object execute(VirtualFrame frame) {
    return evaluate(frame.materialize());
  }

  @TruffleBoundary
  private Object evaluate(MaterializedFrame frame) {
    try {
      if (!FrameScope.exists(frame)) {
        throw new Mistake("This code has no variables");
      }
      Input input = Parser.input(source);
      if (input.code() == null) {
        throw new Mistake("Only expressions can be evaluated here");
      }
      SBlock code = FrameCompiler.code(frame, source, input.code());
      return View.of(code.target().call(code));
    } catch (SException signalled) {
      throw new Mistake(Sending.text(universe, signalled.object()));
    } catch (SyntaxErrors mistakes) {
      throw new Mistake(mistakes.getMessage());
    } catch (SyntaxMistake mistake) {
      throw new Mistake(mistake.report());
    }
  }
}
