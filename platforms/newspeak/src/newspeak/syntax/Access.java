package newspeak.syntax;

/** Who may send: anyone; the object itself; code of the very class. */
public enum Access {
  PUBLIC,
  PROTECTED,
  PRIVATE
}
