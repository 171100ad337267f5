package newspeak.lexer;

/**
 * Turns text into tokens, one at a time: the parser may move it, as types are skipped by their
 * characters. Throws SyntaxMistake where no token begins.
 */
public final class Lexer {
  private static final String OPERATORS = "~&|*/\\+=><,@%-!";

  private final SourceText source;
  private final String text;
  private int at;

  public Lexer(SourceText source) {
    this.source = source;
    this.text = source.text();
  }

  public void moveTo(int offset) {
    at = offset;
  }

  public Token next() {
    skipBlanks();
    if (at >= text.length()) {
      return new Token(TokenKind.END, "", null, text.length(), text.length());
    }
    char c = text.charAt(at);
    if (isLetter(c)) {
      return word();
    }
    if (isDigit(c) || c == '-' && isDigit(peek(1))) {
      Token number = new NumberLiteral(source, at).read();
      at = number.end();
      return number;
    }
    if (OPERATORS.indexOf(c) >= 0) {
      return operator();
    }
    return switch (c) {
      case '\'' -> string(TokenKind.STRING, at);
      case '"' -> character();
      case '#' -> symbol();
      case '(' -> single(TokenKind.PAREN_OPEN);
      case ')' -> single(TokenKind.PAREN_CLOSE);
      case '[' -> single(TokenKind.BLOCK_OPEN);
      case ']' -> single(TokenKind.BLOCK_CLOSE);
      case '{' -> single(TokenKind.CURLY_OPEN);
      case '}' -> single(TokenKind.CURLY_CLOSE);
      case '.' -> single(TokenKind.PERIOD);
      case ';' -> single(TokenKind.SEMICOLON);
      case '^' -> single(TokenKind.CARET);
      case ':' -> text.startsWith("::=", at) ? token(TokenKind.SLOT_ASSIGN, at + 3)
          : single(TokenKind.COLON);
      default -> throw mistake(at, "No token begins with '" + c + "'");
    };
  }

  /** Skips a type, `<...>`, that begins at the offset; answers the offset after it. */
  public int afterType(int offset) {
    int depth = 0;
    for (int index = offset; index < text.length(); index++) {
      char c = text.charAt(index);
      if (c == '<') {
        depth++;
      } else if (c == '>') {
        depth--;
        if (depth == 0) {
          return index + 1;
        }
      }
    }
    throw mistake(offset, "This type does not end: '>' is missing");
  }

  private void skipBlanks() {
    while (at < text.length()) {
      if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else if (text.startsWith("(*", at)) {
        skipComment();
      } else {
        return;
      }
    }
  }

  private void skipComment() {
    int start = at;
    int depth = 0;
    do {
      if (text.startsWith("(*", at)) {
        depth++;
        at += 2;
      } else if (text.startsWith("*)", at)) {
        depth--;
        at += 2;
      } else if (at >= text.length()) {
        throw unfinished(start, "This comment does not end: '*)' is missing");
      } else {
        at++;
      }
    } while (depth > 0);
  }

  private Token word() {
    int end = afterWord(at);
    if (peekAt(end) != ':' || peekAt(end + 1) == ':' && peekAt(end + 2) == '=') {
      return token(TokenKind.IDENTIFIER, end);
    }
    if (peekAt(end + 1) == ':') {
      return token(TokenKind.SETTER, end + 2);
    }
    if (!isLetter(peekAt(end + 1))) {
      return token(TokenKind.KEYWORD, end + 1);
    }
    return token(TokenKind.KEYWORD_SEQUENCE, afterKeywords(at));
  }

  /** After `at:put:`; a last word without a colon does not belong to it. */
  private int afterKeywords(int start) {
    int end = start;
    while (isLetter(peekAt(end))) {
      int word = afterWord(end);
      if (peekAt(word) != ':') {
        return end;
      }
      end = word + 1;
    }
    return end;
  }

  private int afterWord(int start) {
    int end = start;
    while (isLetter(peekAt(end)) || isDigit(peekAt(end))) {
      end++;
    }
    return end;
  }

  private Token operator() {
    if (text.startsWith("<-:", at)) {
      return token(TokenKind.EVENTUAL, at + 3);
    }
    if (text.startsWith("<:", at)) {
      return token(TokenKind.MIXIN, at + 2);
    }
    if (text.startsWith("*)", at)) {
      throw mistake(at, "No comment is open here");
    }
    return token(TokenKind.OPERATOR, afterOperators(at));
  }

  private int afterOperators(int start) {
    int end = start;
    while (end < text.length() && OPERATORS.indexOf(text.charAt(end)) >= 0) {
      boolean number = text.charAt(end) == '-' && isDigit(peekAt(end + 1));
      boolean other = text.startsWith("<-:", end) || text.startsWith("<:", end)
          || text.startsWith("*)", end);
      if (end > start && (number || other)) {
        break;
      }
      end++;
    }
    return end;
  }

  private Token symbol() {
    int start = at;
    char c = peek(1);
    if (c == '\'') {
      return string(TokenKind.SYMBOL, at + 1);
    }
    int end;
    if (isLetter(c)) {
      int keywords = afterKeywords(at + 1);
      end = isLetter(peekAt(keywords)) ? afterWord(keywords) : keywords; // `#at:put` is one, too
    } else if (c != '\0' && OPERATORS.indexOf(c) >= 0) {
      end = afterOperators(at + 1);
    } else {
      throw mistake(start, "After '#' must come an identifier, keywords, an operator or a string");
    }
    at = end;
    return new Token(TokenKind.SYMBOL, text.substring(start + 1, end), null, start, end);
  }

  private Token string(TokenKind kind, int open) {
    int start = at;
    StringBuilder value = new StringBuilder();
    int index = open + 1;
    while (index < text.length()) {
      char c = text.charAt(index);
      if (c == '\\') {
        value.append(escaped(index));
        index += 2;
      } else if (c == '\'' && peekAt(index + 1) == '\'') {
        value.append('\'');
        index += 2;
      } else if (c == '\'') {
        at = index + 1;
        return new Token(kind, value.toString(), null, start, at);
      } else {
        value.append(c);
        index++;
      }
    }
    throw unfinished(open, "This string does not end: a quote is missing");
  }

  /** What an escape stands for: nothing if there is no such escape, as in SOMns. */
  private String escaped(int backslash) {
    return switch (peekAt(backslash + 1)) {
      case 't' -> "\t";
      case 'b' -> "\b";
      case 'n' -> "\n";
      case 'r' -> "\r";
      case 'f' -> "\f";
      case '\'' -> "'";
      case '\\' -> "\\";
      default -> "";
    };
  }

  private Token character() {
    int start = at;
    if (at + 1 >= text.length()) {
      throw mistake(at, "This character does not end: '\"' is missing");
    }
    int code = text.codePointAt(at + 1);
    int close = at + 1 + Character.charCount(code);
    if (code == '"') {
      close = peekAt(close) == '"' ? close + 1 : close;
    }
    if (peekAt(close) != '"') {
      throw mistake(start, "A character must be one code point between two '\"'");
    }
    at = close + 1;
    return new Token(TokenKind.CHARACTER, Character.toString(code), null, start, at);
  }

  private Token single(TokenKind kind) {
    return token(kind, at + 1);
  }

  private Token token(TokenKind kind, int end) {
    int start = at;
    at = end;
    return new Token(kind, text.substring(start, end), null, start, end);
  }

  private SyntaxMistake unfinished(int offset, String message) {
    return new SyntaxMistake(source, offset, message, true);
  }

  private SyntaxMistake mistake(int offset, String message) {
    return new SyntaxMistake(source, offset, message);
  }

  private char peek(int ahead) {
    return peekAt(at + ahead);
  }

  private char peekAt(int index) {
    return index < text.length() ? text.charAt(index) : '\0';
  }

  private static boolean isLetter(char c) {
    return Character.isLetter(c) || c == '_';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }
}
