package newspeak.lexer;

/** Kinds of tokens; the text in quotes is what a message about a missing one says. */
public enum TokenKind {
  IDENTIFIER("an identifier"),
  KEYWORD("a keyword"),
  KEYWORD_SEQUENCE("a keyword"),
  SETTER("a setter"),
  OPERATOR("an operator"),
  EVENTUAL("'<-:'"),
  MIXIN("'<:'"),
  SLOT_ASSIGN("'::='"),
  NUMBER("a number"),
  STRING("a string"),
  SYMBOL("a symbol"),
  CHARACTER("a character"),
  PAREN_OPEN("'('"),
  PAREN_CLOSE("')'"),
  BLOCK_OPEN("'['"),
  BLOCK_CLOSE("']'"),
  CURLY_OPEN("'{'"),
  CURLY_CLOSE("'}'"),
  PERIOD("'.'"),
  SEMICOLON("';'"),
  COLON("':'"),
  CARET("'^'"),
  END("the end of the file");

  private final String shown;

  TokenKind(String shown) {
    this.shown = shown;
  }

  public String shown() {
    return shown;
  }
}
