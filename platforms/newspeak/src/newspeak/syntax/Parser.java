package newspeak.syntax;

import static newspeak.lexer.TokenKind.CARET;
import static newspeak.lexer.TokenKind.COLON;
import static newspeak.lexer.TokenKind.END;
import static newspeak.lexer.TokenKind.IDENTIFIER;
import static newspeak.lexer.TokenKind.KEYWORD;
import static newspeak.lexer.TokenKind.MIXIN;
import static newspeak.lexer.TokenKind.OPERATOR;
import static newspeak.lexer.TokenKind.PAREN_CLOSE;
import static newspeak.lexer.TokenKind.PAREN_OPEN;
import static newspeak.lexer.TokenKind.PERIOD;
import static newspeak.lexer.TokenKind.STRING;

import java.util.ArrayList;
import java.util.List;
import newspeak.lexer.SourceText;
import newspeak.lexer.SyntaxMistake;
import newspeak.lexer.Token;

/** Classes and their members; a mistake in a member does not hide those in the next ones. */
public final class Parser extends ExpressionParser {
  private Parser(SourceText source) {
    super(source);
  }

  /** The class of a file. Throws SyntaxErrors. */
  public static ClassTree parse(SourceText source) {
    Parser parser = new Parser(source);
    return parser.whole(parser::module);
  }

  /** What a person types: the class of a module, or locals and expressions. Throws SyntaxErrors. */
  public static Input input(SourceText source) {
    Parser parser = new Parser(source);
    return parser.whole(() -> parser.atWord("class") || parser.atWord("Newspeak3")
        ? new Input(parser.module(), null) : new Input(null, parser.expressions()));
  }

  private Body expressions() {
    names.open();
    return code(END);
  }

  private ClassTree module() {
    if (atWord("Newspeak3")) {
      advance();
      expect(STRING, "naming the module's category");
    }
    if (!atWord("class")) {
      throw unexpected("'class'");
    }
    ClassTree tree = classDeclaration(Access.PUBLIC);
    if (!at(END)) {
      throw unexpected("the end of the file after its class");
    }
    return tree;
  }

  private Access access() {
    for (Access access : Access.values()) {
      if (atWord(access.name().toLowerCase(java.util.Locale.ROOT))) {
        advance();
        return access;
      }
    }
    return Access.PROTECTED;
  }

  private ClassTree classDeclaration(Access access) {
    advance();
    Token name = name("as the name of the class");
    var outer = names.enterClass();
    names.open();
    Pattern factory = atOperator("=") ? new Pattern(name.start(), "new", List.of()) : pattern();
    expectOperator("=", "after the head of the class");
    Inheritance superclass = at(PAREN_OPEN) ? null : inheritance();
    ClassTree tree = classContent(name, access, factory, superclass, false);
    names.leaveClass(outer);
    return tree;
  }

  @Override
  ClassTree objectLiteral() {
    Token start = token();
    var outer = names.enterClass();
    names.open();
    Inheritance superclass = at(PAREN_OPEN) ? null : inheritance();
    Token name = new Token(IDENTIFIER, "object literal", null, start.start(), start.start());
    Pattern factory = new Pattern(start.start(), "new", List.of());
    ClassTree tree = classContent(name, Access.PRIVATE, factory, superclass, true);
    names.leaveClass(outer);
    return tree;
  }

  private ClassTree classContent(
      Token name, Access access, Pattern factory, Inheritance superclass, boolean literal) {
    List<Inheritance> mixins = new ArrayList<>();
    while (accept(MIXIN)) {
      mixins.add(inheritance());
    }
    List<SlotTree> slots = new ArrayList<>();
    List<Expression> initialisers = new ArrayList<>();
    List<ClassTree> classes = new ArrayList<>();
    List<MethodTree> methods = new ArrayList<>();
    List<MethodTree> classMethods = new ArrayList<>();
    if (literal || mixins.isEmpty() || !accept(PERIOD)) {
      header(slots, initialisers);
      // The factory's arguments are seen by the clause and the header alone.
      var names = this.names.enterClass();
      this.names.close();
      body(classes, methods);
      if (accept(COLON)) {
        expect(PAREN_OPEN, "before the methods of the class side");
        methods(classMethods, "the methods of the class side");
      }
      this.names.leaveClass(names);
    }
    new Members(this).check(slots, classes, methods);
    new Members(this).check(List.of(), List.of(), classMethods);
    return new ClassTree(source, name.start(), name.text(), access, factory, superclass, mixins,
        slots, initialisers, classes, methods, classMethods, literal);
  }

  private Inheritance inheritance() {
    Token start = expect(IDENTIFIER, "naming a class");
    int at = start.start();
    Expression reference;
    switch (start.text()) {
      case "self" -> reference = send(new Expression.Self(at));
      case "super" -> reference = send(new Expression.Super(at));
      case "outer" -> {
        Token name = expect(IDENTIFIER, "after 'outer'");
        reference = new Expression.Outer(at, name.text());
        reference = at(IDENTIFIER) ? send(reference) : reference;
      }
      default -> reference = new Expression.Name(at, start.text());
    }
    Expression sent = at(MIXIN) ? reference : sends(reference);
    if (sent == reference) {
      return new Inheritance(at, reference, null, List.of());
    }
    Expression.Send send = (Expression.Send) sent;
    return new Inheritance(at, send.receiver(), send.selector(), send.arguments());
  }

  private Expression send(Expression receiver) {
    Token name = expect(IDENTIFIER, "naming a class");
    return new Expression.Send(name.start(), receiver, name.text(), List.of(), false);
  }

  private void header(List<SlotTree> slots, List<Expression> initialisers) {
    expect(PAREN_OPEN, "before the slots of the class");
    if (acceptOperator("|")) {
      slots("|", slots);
    }
    // Newspeak's simultaneous slots, which are like others here, or none at all.
    if (acceptOperator("||") && !at(PAREN_CLOSE)) {
      slots("||", slots);
    }
    while (!at(PAREN_CLOSE)) {
      initialisers.add(expression());
      if (!accept(PERIOD) && !at(PAREN_CLOSE)) {
        throw unexpected("'.' or ')' after an expression");
      }
    }
    advance();
  }

  private void slots(String end, List<SlotTree> slots) {
    while (!acceptOperator(end)) {
      slots.add(slot(access(), "in the declaration of slots"));
    }
  }

  private void body(List<ClassTree> classes, List<MethodTree> methods) {
    expect(PAREN_OPEN, "before the methods of the class");
    while (true) {
      int start = token().start();
      Access access = access();
      if (!atWord("class")) {
        moveTo(start);
        break;
      }
      int mark = token().start();
      advance();
      boolean method = atOperator("=");
      moveTo(mark);
      if (method) {
        moveTo(start);
        break;
      }
      classes.add(classDeclaration(access));
    }
    methods(methods, "the methods of the class");
  }

  private void methods(List<MethodTree> methods, String where) {
    while (!at(PAREN_CLOSE)) {
      if (at(END)) {
        throw unexpected("')' after " + where);
      }
      int start = token().start();
      try {
        if (!skipClass()) {
          methods.add(method());
        }
      } catch (SyntaxMistake mistake) {
        add(mistake);
        moveTo(start);
        skipMethod(start, mistake);
      }
    }
    advance();
  }

  /** A class among the methods is a mistake, but one that the next members need not suffer from. */
  private boolean skipClass() {
    int start = token().start();
    access();
    if (atWord("class")) {
      int at = advance().start();
      boolean found = at(IDENTIFIER);
      moveTo(at);
      if (found) {
        report(at, "A nested class must come before the methods");
        classDeclaration(Access.PUBLIC);
        return true;
      }
    }
    moveTo(start);
    return false;
  }

  /** Moves behind the code of a method with a mistake; ends the parsing where that is nowhere. */
  private void skipMethod(int start, SyntaxMistake mistake) {
    int open = -1;
    while (open < 0) {
      Token token;
      try {
        token = advance();
      } catch (SyntaxMistake ignored) {
        moveTo(ignored.offset() + 1);
        continue;
      }
      if (token.is(END) || token.is(PAREN_CLOSE)) {
        throw giveUp(mistake);
      }
      open = token.is(PAREN_OPEN) ? token.start() : -1;
    }
    if (!moveBehindMethod(start, open)) {
      throw giveUp(mistake);
    }
  }

  private SyntaxMistake giveUp(SyntaxMistake mistake) {
    mistakes.remove(mistake);
    return mistake;
  }

  private MethodTree method() {
    Access access = access();
    var outer = names.enterClass();
    try {
      names.open();
      Pattern pattern = pattern();
      expectOperator("=", "after the pattern of the method");
      expect(PAREN_OPEN, "before the code of the method");
      Body body = code(PAREN_CLOSE);
      advance();
      return new MethodTree(access, pattern, body);
    } finally {
      names.leaveClass(outer);
    }
  }

  private Pattern pattern() {
    int at = token().start();
    List<String> parameters = new ArrayList<>();
    StringBuilder selector = new StringBuilder();
    if (at(IDENTIFIER)) {
      selector.append(advance().text());
    } else if (at(OPERATOR)) {
      selector.append(advance().text());
      parameters.add(parameter());
    } else if (at(KEYWORD)) {
      while (at(KEYWORD)) {
        selector.append(advance().text());
        parameters.add(parameter());
      }
    } else {
      throw unexpected("a method");
    }
    if (accept(CARET)) {
      skipType();
    }
    return new Pattern(at, selector.toString(), parameters);
  }
}
