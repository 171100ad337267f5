package newspeak.compiler;

import java.util.List;
import newspeak.actors.EventualSendNode;
import newspeak.dispatch.Lookup;
import newspeak.dispatch.LookupKind;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.ImmutableReadNode;
import newspeak.nodes.SendNode;
import newspeak.objects.SSymbol;
import newspeak.operators.Operators;
import newspeak.operators.Otherwise;
import newspeak.primitives.Primitives;
import newspeak.runtime.Universe;
import newspeak.structure.Member;
import newspeak.syntax.Expression;

/** Makes the nodes of messages: what a selector means depends on where it is sent to. */
final class MessageCompiler {
  /** In the library's files and the platform: the implementation itself, with its primitives. */
  private static final String IMPLEMENTATION = "vm";

  private final ExpressionCompiler code;
  private final Universe universe;

  MessageCompiler(ExpressionCompiler code) {
    this.code = code;
    this.universe = code.holder().universe();
  }

  ExpressionNode send(Expression.Send send) {
    if (send.receiver() == null) {
      return implicit(send.selector(), send.arguments());
    }
    if (isImplementation(send.receiver())) {
      return Primitives.node(universe, send.selector(), code.all(send.arguments()));
    }
    SSymbol selector = SSymbol.of(send.selector());
    if (send.eventual()) {
      return new EventualSendNode(universe, selector, code.holder().tree().source(), send.at(),
          code.compile(send.receiver()), code.all(send.arguments()));
    }
    ExpressionNode inlined = new Inliner(code).inline(send);
    return inlined != null ? inlined : ordinary(send);
  }

  /** A message with its operator's shortcut where it has one. */
  ExpressionNode ordinary(Expression.Send send) {
    Lookup lookup = lookup(send.receiver(), SSymbol.of(send.selector()));
    if (lookup.kind() == LookupKind.PUBLIC && Operators.isOperator(send.selector())) {
      return Operators.of(send.selector(), code.compile(send.receiver()),
          code.all(send.arguments()), Otherwise.send(lookup));
    }
    return plain(send);
  }

  /** A message without any shortcut. */
  SendNode plain(Expression.Send send) {
    Lookup lookup = lookup(send.receiver(), SSymbol.of(send.selector()));
    SendNode node =
        new SendNode(lookup, code.compile(send.receiver()), code.all(send.arguments()));
    node.at(send.at());
    return node;
  }

  private boolean isImplementation(Expression receiver) {
    return receiver instanceof Expression.Name name && name.name().equals(IMPLEMENTATION)
        && universe.knowsPrimitives(code.holder().tree().source()) && !isDeclared(IMPLEMENTATION);
  }

  /** A platform that is not ours may use the name for something of its own. */
  private boolean isDeclared(String name) {
    for (Place place = Place.of(code.scope()); place != null; place = place.outer()) {
      if (place.scope() instanceof CodeScope scope && scope.find(name) != null
          || place.scope() instanceof ClassScope cls && cls.defines(SSymbol.of(name))) {
        return true;
      }
    }
    return false;
  }

  /** Which members a message to such a receiver may find. */
  Lookup lookup(Expression receiver, SSymbol selector) {
    return switch (receiver) {
      case Expression.Self self -> code.selfLookup(selector);
      case Expression.Super self -> {
        Lookup own = code.selfLookup(selector);
        yield new Lookup(
            universe, selector, LookupKind.SUPER, own.lexical(), own.classSide());
      }
      case Expression.Outer outer -> {
        ClassScope cls = (ClassScope) code.outer(outer).scope();
        yield new Lookup(
            universe, selector, LookupKind.SELF, cls.part(), cls.classSide());
      }
      default -> Lookup.ofPublic(universe, selector);
    };
  }

  /** To the object around whose class's text defines the selector; otherwise to self. */
  ExpressionNode implicit(String name, List<Expression> arguments) {
    SSymbol selector = SSymbol.of(name);
    ExpressionNode[] compiled = code.all(arguments);
    for (Place place = Place.of(code.scope()); place != null; place = place.outer()) {
      if (place.scope() instanceof ClassScope cls && cls.defines(selector)) {
        Lookup lookup = new Lookup(
            universe, selector, LookupKind.SELF, cls.part(), cls.classSide());
        SendNode send = new SendNode(lookup, place.self(), compiled);
        return mayLast(cls, selector) ? new ImmutableReadNode(place.self(), send) : send;
      }
    }
    return new SendNode(code.selfLookup(selector), code.self(), compiled);
  }

  /**
   * Whether the message reads what never changes, of an object of which there are few: one around
   * this code, or a module.
   */
  private boolean mayLast(ClassScope cls, SSymbol selector) {
    return !cls.classSide() && (cls.definition() != code.holder() || cls.outer() == null)
        && switch (cls.definition().members().get(selector)) {
          case Member.Reader reader -> !reader.slot().isMutable();
          case Member.Nested nested -> true;
          default -> false;
        };
  }
}
