package newspeak.runtime;

import com.oracle.truffle.api.exception.AbstractTruffleException;

/** A signalled object on its way to a handler. */
public final class SException extends AbstractTruffleException {
  private static final long serialVersionUID = 1L;
  private final transient Object object;

  /** `traced`: it collects the calls that it leaves, which takes time. */
  SException(Object object, boolean traced) {
    super("signalled", null, traced ? UNLIMITED_STACK_TRACE : 0, null);
    this.object = object;
  }

  public Object object() {
    return object;
  }
}
