package newspeak.runtime;

import com.oracle.truffle.api.CallTarget;
import com.oracle.truffle.api.ContextThreadLocal;
import com.oracle.truffle.api.TruffleLanguage;
import com.oracle.truffle.api.nodes.RootNode;
import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.actors.Worker;

/** The language as Truffle sees it: a program is one request, which runs to the program's end. */
@TruffleLanguage.Registration(
    id = NewspeakLanguage.ID, name = "Newspeak", version = "1", defaultMimeType = "text/newspeak",
    characterMimeTypes = "text/newspeak",
    contextPolicy = TruffleLanguage.ContextPolicy.EXCLUSIVE)
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

  private static final ContextReference<Universe> CONTEXT =
      ContextReference.create(NewspeakLanguage.class);
}
