package newspeak.runtime;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import newspeak.objects.SArray;
import newspeak.objects.SClass;
import newspeak.objects.SSymbol;

/** The exceptions that the implementation itself signals; each method throws. */
public final class Signals {
  private final Universe universe;
  private final Traces traces;

  Signals(Universe universe) {
    this.universe = universe;
    this.traces = new Traces(universe);
  }

  @TruffleBoundary
  public SException argumentError(Object argument) {
    return signal("ArgumentError", "signalWith:", argument);
  }

  @TruffleBoundary
  public SException divisionByZero(Object dividend) {
    return signal("ZeroDivision", "signalWith:", dividend);
  }

  @TruffleBoundary
  public SException notUnderstood(Object receiver, SSymbol selector, Object[] arguments) {
    return signal("MessageNotUnderstood", "signalWith:selector:arguments:", receiver, selector,
        new SArray(universe.classes().array(), arguments));
  }

  @TruffleBoundary
  public SException indexOutOfBounds(Object target, Object index) {
    return signal("IndexOutOfBounds", "signalWith:index:", target, index);
  }

  @TruffleBoundary
  public SException notAValue(Object cls) {
    return signal("NotAValue", "signalWith:", cls);
  }

  @TruffleBoundary
  public SException transferValue(SClass cls) {
    return signal("TransferObjectsCannotBeValues", "signalWith:", cls);
  }

  @TruffleBoundary
  public SException cyclicImport(String path) {
    return signal("CyclicImport", "signalWith:", path);
  }

  /** What running out of stack or of memory is in the language. */
  @TruffleBoundary
  public SException exhausted(VirtualMachineError error) {
    String name = error instanceof StackOverflowError ? "StackOverflow" : "OutOfMemory";
    return exception(Sending.send(universe, universe.classes().named(name), "new"));
  }

  /** What a `^` is in the language whose method runs in another thread of the actor. */
  @TruffleBoundary
  public SException escaped(Object block) {
    return signal("EscapedBlock", "signalWith:", block);
  }

  /** The exception, where its factory does not signal it by itself. */
  @TruffleBoundary
  public SException signal(String name, String factory, Object... arguments) {
    Object made = Sending.send(universe, universe.classes().named(name), factory, arguments);
    return exception(made);
  }

  /** What carries a signalled object to a handler. */
  @TruffleBoundary
  public SException exception(Object object) {
    SException made = new SException(object);
    if (universe.options().isInteractive()) {
      traces.add(made);
    }
    return made;
  }

  /** Where exceptions were signalled. */
  public Traces traces() {
    return traces;
  }
}
