package newspeak.syntax;

import java.util.List;

/** An expression as written; `at` is the offset of its first character, or of its selector. */
public sealed interface Expression {
  int at();

  /** The offset of its first character. */
  default int start() {
    return switch (this) {
      case Send send when send.receiver != null -> send.receiver.start();
      case Cascade cascade -> cascade.receiver.start();
      default -> at();
    };
  }

  record Self(int at) implements Expression {}

  record Super(int at) implements Expression {}

  /** A local, an argument, or a unary message to an implicit receiver. */
  record Name(int at, String name) implements Expression {}

  record Outer(int at, String className) implements Expression {}

  /** `value`: null stands for nil; else Boolean, Long, BigInteger, Double or String. */
  record Literal(int at, Object value) implements Expression {}

  record SymbolLiteral(int at, String text) implements Expression {}

  record ArrayLiteral(int at, List<Expression> elements) implements Expression {}

  record BlockLiteral(int at, List<String> parameters, Body body) implements Expression {}

  record ObjectLiteral(int at, ClassTree tree) implements Expression {}

  /** `receiver` is null for a message to an implicit receiver. */
  record Send(
      int at, Expression receiver, String selector, List<Expression> arguments, boolean eventual)
      implements Expression {}

  record Assignment(int at, String name, Expression value) implements Expression {}

  /** All messages go to the one receiver; the last one's answer counts. */
  record Cascade(int at, Expression receiver, List<Message> messages) implements Expression {}

  record Return(int at, Expression value) implements Expression {}

  record Message(int at, String selector, List<Expression> arguments) {}
}
