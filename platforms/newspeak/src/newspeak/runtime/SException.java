package newspeak.runtime;

import com.oracle.truffle.api.exception.AbstractTruffleException;

/** A signalled object on its way to a handler. */
public final class SException extends AbstractTruffleException {
  private static final long serialVersionUID = 1L;
  private final transient Object object;

  SException(Object object) {
    super("signalled", null, UNLIMITED_STACK_TRACE, null);
    this.object = object;
  }

  public Object object() {
    return object;
  }
}
