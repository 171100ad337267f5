package newspeak.syntax;

import static newspeak.lexer.TokenKind.BLOCK_CLOSE;
import static newspeak.lexer.TokenKind.CARET;
import static newspeak.lexer.TokenKind.COLON;
import static newspeak.lexer.TokenKind.CURLY_CLOSE;
import static newspeak.lexer.TokenKind.EVENTUAL;
import static newspeak.lexer.TokenKind.IDENTIFIER;
import static newspeak.lexer.TokenKind.KEYWORD;
import static newspeak.lexer.TokenKind.OPERATOR;
import static newspeak.lexer.TokenKind.PAREN_CLOSE;
import static newspeak.lexer.TokenKind.PERIOD;
import static newspeak.lexer.TokenKind.SEMICOLON;
import static newspeak.lexer.TokenKind.SETTER;
import static newspeak.lexer.TokenKind.SLOT_ASSIGN;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import newspeak.lexer.SourceText;
import newspeak.lexer.Token;
import newspeak.lexer.TokenKind;

/** Expressions and the code of methods and blocks. */
abstract class ExpressionParser extends TokenStream {
  static final Set<String> RESERVED =
      Set.of("true", "false", "nil", "self", "super", "outer", "objL");

  final Names names = new Names();

  ExpressionParser(SourceText source) {
    super(source);
  }

  abstract ClassTree objectLiteral();

  Body code(TokenKind close) {
    List<SlotTree> locals = new ArrayList<>();
    if (acceptOperator("|")) {
      while (!acceptOperator("|")) {
        locals.add(local());
      }
    } else {
      acceptOperator("||");
    }
    List<Expression> statements = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    while (!at(close)) {
      if (at(CARET)) {
        int at = advance().start();
        statements.add(new Expression.Return(at, expression()));
        ends.add(behind());
        accept(PERIOD);
        if (!at(close)) {
          throw unexpected(close.shown() + " after what is returned");
        }
      } else {
        statements.add(expression());
        ends.add(behind());
        if (!accept(PERIOD) && !at(close)) {
          throw unexpected("'.' or " + close.shown() + " after an expression");
        }
      }
    }
    return new Body(locals, statements, ends, token().start());
  }

  private SlotTree local() {
    SlotTree local = slot(Access.PRIVATE, "in the declaration of locals");
    if (!names.declare(local.name(), local.mutable())) {
      report(local.at(), "The name '" + local.name() + "' is declared twice");
    }
    return local;
  }

  SlotTree slot(Access access, String where) {
    Token name = name(where);
    skipType();
    if (accept(SLOT_ASSIGN)) {
      return new SlotTree(name.start(), access, name.text(), true, initial());
    }
    if (acceptOperator("=")) {
      return new SlotTree(name.start(), access, name.text(), false, initial());
    }
    return new SlotTree(name.start(), access, name.text(), true, null);
  }

  private Expression initial() {
    Expression initial = expression();
    expect(PERIOD, "after the initial value");
    return initial;
  }

  Token name(String where) {
    Token name = expect(IDENTIFIER, where);
    if (RESERVED.contains(name.text())) {
      report(name.start(), "'" + name.text() + "' is reserved");
    }
    return name;
  }

  Expression expression() {
    if (at(SETTER)) {
      Token setter = advance();
      String name = setter.text().substring(0, setter.text().length() - 2);
      if (names.isConstant(name)) {
        report(setter.start(), "'" + name + "' is an argument or a constant, so it cannot be "
            + "assigned");
      }
      return new Expression.Assignment(setter.start(), name, expression());
    }
    if (at(KEYWORD)) {
      return keywords(null, false);
    }
    Expression result = sends(primary());
    if (!at(SEMICOLON)) {
      return result;
    }
    return cascade(result);
  }

  private Expression cascade(Expression first) {
    if (!(first instanceof Expression.Send send) || send.receiver() == null || send.eventual()) {
      throw mistake(token().start(), "A cascade must follow a message that has a receiver and is "
          + "not eventual");
    }
    List<Expression.Message> messages = new ArrayList<>();
    messages.add(new Expression.Message(send.at(), send.selector(), send.arguments()));
    while (accept(SEMICOLON)) {
      messages.add(message());
    }
    return new Expression.Cascade(send.at(), send.receiver(), messages);
  }

  private Expression.Message message() {
    Expression.Send send;
    if (at(IDENTIFIER)) {
      Token selector = advance();
      send = new Expression.Send(selector.start(), null, selector.text(), List.of(), false);
    } else if (at(OPERATOR)) {
      Token selector = advance();
      send = new Expression.Send(
          selector.start(), null, selector.text(), List.of(operand()), false);
    } else {
      send = keywords(null, false);
    }
    return new Expression.Message(send.at(), send.selector(), send.arguments());
  }

  /** Unary, then binary, then keyword messages. */
  Expression sends(Expression receiver) {
    Expression result = binaries(unaries(receiver));
    if (at(EVENTUAL)) {
      advance();
      return keywords(result, true);
    }
    return at(KEYWORD) ? keywords(result, false) : result;
  }

  private Expression unaries(Expression receiver) {
    Expression result = receiver;
    while (true) {
      Token mark = token();
      boolean eventual = accept(EVENTUAL);
      if (!at(IDENTIFIER)) {
        if (eventual) {
          moveTo(mark.start());
        }
        return result;
      }
      Token selector = advance();
      result = new Expression.Send(
          selector.start(), result, selector.text(), List.of(), eventual);
    }
  }

  private Expression binaries(Expression receiver) {
    Expression result = receiver;
    while (true) {
      Token mark = token();
      boolean eventual = accept(EVENTUAL);
      if (!at(OPERATOR)) {
        if (eventual) {
          moveTo(mark.start());
        }
        return result;
      }
      Token selector = advance();
      result = new Expression.Send(
          selector.start(), result, selector.text(), List.of(operand()), eventual);
    }
  }

  private Expression.Send keywords(Expression receiver, boolean eventual) {
    int at = token().start();
    StringBuilder selector = new StringBuilder();
    List<Expression> arguments = new ArrayList<>();
    do {
      selector.append(expect(KEYWORD, "as the selector").text());
      arguments.add(binaries(operand()));
    } while (at(KEYWORD));
    return new Expression.Send(at, receiver, selector.toString(), arguments, eventual);
  }

  private Expression operand() {
    return unaries(primary());
  }

  private Expression primary() {
    Token token = token();
    int at = token.start();
    switch (token.kind()) {
      case IDENTIFIER:
        return word();
      case NUMBER:
        advance();
        return new Expression.Literal(at, token.value());
      case STRING, CHARACTER:
        advance();
        return new Expression.Literal(at, token.text());
      case SYMBOL:
        advance();
        return new Expression.SymbolLiteral(at, token.text());
      case PAREN_OPEN:
        advance();
        Expression inner = expression();
        expect(PAREN_CLOSE, "after the expression");
        return inner;
      case BLOCK_OPEN:
        return block();
      case CURLY_OPEN:
        return array();
      default:
        throw unexpected("an expression");
    }
  }

  private Expression word() {
    Token word = advance();
    int at = word.start();
    return switch (word.text()) {
      case "self" -> new Expression.Self(at);
      case "super" -> new Expression.Super(at);
      case "nil" -> new Expression.Literal(at, null);
      case "true" -> new Expression.Literal(at, true);
      case "false" -> new Expression.Literal(at, false);
      case "outer" -> new Expression.Outer(at, expect(IDENTIFIER, "after 'outer'").text());
      case "objL" -> new Expression.ObjectLiteral(at, objectLiteral());
      default -> new Expression.Name(at, word.text());
    };
  }

  private Expression block() {
    int at = advance().start();
    names.open();
    List<String> parameters = new ArrayList<>();
    boolean bars = false;
    while (accept(COLON)) {
      parameters.add(parameter());
    }
    if (!parameters.isEmpty()) {
      bars = atOperator("||");
      if (!bars) {
        expectOperator("|", "after the arguments of a block");
      } else {
        // The end of the arguments and the beginning of the locals, written without a space.
        moveTo(token().start() + 1);
      }
    }
    Body body = code(BLOCK_CLOSE);
    advance();
    names.close();
    return new Expression.BlockLiteral(at, parameters, body);
  }

  String parameter() {
    Token name = name("as the name of an argument");
    skipType();
    if (!names.declare(name.text(), false)) {
      report(name.start(), "The name '" + name.text() + "' is declared twice");
    }
    return name.text();
  }

  private Expression array() {
    int at = advance().start();
    List<Expression> elements = new ArrayList<>();
    while (!at(CURLY_CLOSE)) {
      elements.add(expression());
      if (!accept(PERIOD) && !at(CURLY_CLOSE)) {
        throw unexpected("'.' or '}' after an element");
      }
    }
    advance();
    return new Expression.ArrayLiteral(at, elements);
  }
}
