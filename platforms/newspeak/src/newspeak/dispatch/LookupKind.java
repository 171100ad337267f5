package newspeak.dispatch;

/** From where a message is sent decides what it finds. */
public enum LookupKind {
  /** To any object: public members. */
  PUBLIC,
  /** To self or an object around: private members of the code's own class first. */
  SELF,
  /** Past the code's own class. */
  SUPER
}
