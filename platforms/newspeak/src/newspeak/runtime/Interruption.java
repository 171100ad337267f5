package newspeak.runtime;

import com.oracle.truffle.api.exception.AbstractTruffleException;

/** Ends a turn because a person wants so; nothing in the language catches it. */
public final class Interruption extends AbstractTruffleException {
  private static final long serialVersionUID = 1L;

  public Interruption() {
    super("interrupted", null, 0, null);
  }
}
