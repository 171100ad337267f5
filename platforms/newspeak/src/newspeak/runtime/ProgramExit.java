package newspeak.runtime;

/** Ends the program; nothing in the language catches it. */
public final class ProgramExit extends RuntimeException {
  private static final long serialVersionUID = 1L;
  private static final int FAILED = 1;
  private final int status;
  private final boolean asked;

  private ProgramExit(int status, boolean asked) {
    super(null, null, false, false);
    this.status = status;
    this.asked = asked;
  }

  /** The program asks for its end. */
  public static ProgramExit asked(int status) {
    return new ProgramExit(status, true);
  }

  /** The program cannot go on; what is wrong has been reported. */
  public static ProgramExit failed() {
    return new ProgramExit(FAILED, false);
  }

  public int status() {
    return status;
  }

  public boolean isAsked() {
    return asked;
  }
}
