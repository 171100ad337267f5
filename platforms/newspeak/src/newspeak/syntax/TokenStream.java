package newspeak.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import newspeak.lexer.Lexer;
import newspeak.lexer.SourceText;
import newspeak.lexer.SyntaxMistake;
import newspeak.lexer.Token;
import newspeak.lexer.TokenKind;

/** The current token, and what every part of the parser asks of it. */
class TokenStream {
  private static final Set<String> MODIFIERS = Set.of("public", "protected", "private");

  final SourceText source;
  final List<SyntaxMistake> mistakes = new ArrayList<>();
  private final Lexer lexer;
  private Token token;
  private int behind;

  TokenStream(SourceText source) {
    this.source = source;
    this.lexer = new Lexer(source);
  }

  /** What a part of the parser makes of the tokens. Throws SyntaxErrors. */
  <T> T whole(Supplier<T> part) {
    T tree = null;
    try {
      tree = part.get();
    } catch (SyntaxMistake mistake) {
      mistakes.add(mistake);
    }
    if (!mistakes.isEmpty()) {
      throw new SyntaxErrors(mistakes);
    }
    return tree;
  }

  Token token() {
    if (token == null) {
      token = lexer.next();
    }
    return token;
  }

  Token advance() {
    Token current = token();
    token = null;
    behind = current.end();
    lexer.moveTo(behind);
    return current;
  }

  /** The offset behind the token that was advanced over last. */
  int behind() {
    return behind;
  }

  void moveTo(int offset) {
    token = null;
    lexer.moveTo(offset);
  }

  boolean at(TokenKind kind) {
    return token().is(kind);
  }

  boolean atOperator(String operator) {
    return token().isOperator(operator);
  }

  boolean atWord(String word) {
    return at(TokenKind.IDENTIFIER) && token().text().equals(word);
  }

  boolean accept(TokenKind kind) {
    boolean found = at(kind);
    if (found) {
      advance();
    }
    return found;
  }

  boolean acceptOperator(String operator) {
    boolean found = atOperator(operator);
    if (found) {
      advance();
    }
    return found;
  }

  Token expect(TokenKind kind, String where) {
    if (!at(kind)) {
      throw unexpected(kind.shown() + " " + where);
    }
    return advance();
  }

  void expectOperator(String operator, String where) {
    if (!acceptOperator(operator)) {
      throw unexpected("'" + operator + "' " + where);
    }
  }

  SyntaxMistake unexpected(String wanted) {
    Token found = token();
    if (found.is(TokenKind.KEYWORD_SEQUENCE)) {
      String word = found.text().substring(0, found.text().indexOf(':') + 1);
      return mistake(found.start() + word.length(), "A space is missing after '" + word + "'");
    }
    return new SyntaxMistake(source, found.start(),
        "Expected " + wanted + ", but found " + found.shown(), found.is(TokenKind.END));
  }

  SyntaxMistake mistake(int offset, String message) {
    return new SyntaxMistake(source, offset, message);
  }

  void report(int offset, String message) {
    mistakes.add(mistake(offset, message));
  }

  /** Types are read and forgotten. */
  void skipType() {
    if (at(TokenKind.OPERATOR) && token().text().startsWith("<")) {
      moveTo(lexer.afterType(token().start()));
    }
  }

  /** A mistake that hides where a method ends may be found again in the next method. */
  void add(SyntaxMistake mistake) {
    if (mistakes.stream().noneMatch(one -> one.offset() == mistake.offset())) {
      mistakes.add(mistake);
    }
  }

  /** Whether a line begins here with a member that is as far left as another member. */
  private boolean isNextTo(int member, Token token) {
    int indented = source.column(token.start()) - 1;
    return token.is(TokenKind.IDENTIFIER) && MODIFIERS.contains(token.text())
        && indented < source.column(member)
        && source.text().substring(token.start() - indented, token.start()).isBlank();
  }

  /**
   * Moves behind the parenthesis that closes the one at `open`, which begins the code of a method.
   * A parenthesis that is missing hides only this method: not one that stands below its beginning.
   * False if neither is there.
   */
  boolean moveBehindMethod(int start, int open) {
    moveTo(open);
    int depth = 0;
    while (true) {
      Token next;
      try {
        next = advance();
      } catch (SyntaxMistake mistake) {
        moveTo(mistake.offset() + 1);
        continue;
      }
      switch (next.kind()) {
        case PAREN_OPEN -> depth++;
        case PAREN_CLOSE -> {
          depth--;
          if (depth <= 0) {
            return true;
          }
        }
        case END -> {
          return false;
        }
        case IDENTIFIER -> {
          if (isNextTo(start, next)) {
            moveTo(next.start());
            return true;
          }
        }
        default -> { }
      }
    }
  }
}
