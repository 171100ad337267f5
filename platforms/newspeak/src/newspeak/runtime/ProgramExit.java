package newspeak.runtime;

/** Ends the program; nothing in the language catches it. */
public final class ProgramExit extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private final int status;

  public ProgramExit(int status) {
    super(null, null, false, false);
    this.status = status;
  }

  public int status() {
    return status;
  }
}
