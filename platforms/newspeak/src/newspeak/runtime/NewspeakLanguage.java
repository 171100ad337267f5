package newspeak.runtime;

import com.oracle.truffle.api.CallTarget;
import com.oracle.truffle.api.ContextThreadLocal;
import com.oracle.truffle.api.TruffleLanguage;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.instrumentation.ProvidedTags;
import com.oracle.truffle.api.instrumentation.StandardTags;
import com.oracle.truffle.api.nodes.ExecutableNode;
import com.oracle.truffle.api.nodes.RootNode;
import newspeak.actors.Worker;
import newspeak.inspection.EvaluationNode;
import newspeak.inspection.View;

/** The language as Truffle sees it: a program is one request, which runs to the program's end. */
@TruffleLanguage.Registration(
    id = NewspeakLanguage.ID, name = "Newspeak", version = "1", defaultMimeType = "text/newspeak",
    characterMimeTypes = "text/newspeak",
    contextPolicy = TruffleLanguage.ContextPolicy.EXCLUSIVE)
@ProvidedTags({StandardTags.RootTag.class, StandardTags.StatementTag.class,
    StandardTags.CallTag.class, StandardTags.ExpressionTag.class})
public final class NewspeakLanguage extends TruffleLanguage<Universe> {
  public static final String ID = "newspeak";
  private static final ThreadLocal<Options> OPTIONS = new ThreadLocal<>();

  final ContextThreadLocal<Worker> worker =
      locals.createContextThreadLocal((universe, thread) -> new Worker());

  /** What the next context made by this thread is to run. */
  public static void prepare(Options options) {
    OPTIONS.set(options);
  }

  @Override
  protected Universe createContext(Env env) {
    return new Universe(this, env, OPTIONS.get());
  }

  @Override
  protected Object getLanguageView(Universe universe, Object value) {
    return View.ofAny(value);
  }

  @Override
  protected boolean isThreadAccessAllowed(Thread thread, boolean singleThreaded) {
    return true;
  }

  @Override
  protected CallTarget parse(ParsingRequest request) {
    return new RootNode(this) {
      @Override
      public Object execute(VirtualFrame frame) {
        return CONTEXT.get(this).run();
      }
    }.getCallTarget();
  }

  @Override
  protected ExecutableNode parse(InlineParsingRequest request) {
    return new EvaluationNode(
        this, CONTEXT.get(null), request.getSource().getCharacters().toString());
  }

  private static final ContextReference<Universe> CONTEXT =
      ContextReference.create(NewspeakLanguage.class);
}
