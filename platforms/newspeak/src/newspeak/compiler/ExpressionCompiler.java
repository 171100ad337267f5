package newspeak.compiler;

import java.util.ArrayList;
import java.util.List;
import newspeak.dispatch.Lookup;
import newspeak.dispatch.LookupKind;
import newspeak.lexer.SyntaxMistake;
import newspeak.nodes.ArgumentNode;
import newspeak.nodes.ArrayLiteralNode;
import newspeak.nodes.ContextNode;
import newspeak.nodes.ExpressionNode;
import newspeak.nodes.FreshClassNode;
import newspeak.nodes.LiteralNode;
import newspeak.nodes.LocalResetNode;
import newspeak.nodes.LocalType;
import newspeak.nodes.LongLiteralNode;
import newspeak.nodes.NonLocalReturn;
import newspeak.nodes.LocalReturn;
import newspeak.nodes.ObjectLiteralNode;
import newspeak.nodes.SendNode;
import newspeak.nodes.SequenceNode;
import newspeak.nodes.VariableReadNode;
import newspeak.nodes.VariableWriteNode;
import newspeak.objects.Letters;
import newspeak.objects.Nil;
import newspeak.objects.SSymbol;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Part;
import newspeak.syntax.Body;
import newspeak.syntax.ClassTree;
import newspeak.syntax.Expression;
import newspeak.syntax.Inheritance;
import newspeak.syntax.SlotTree;

/** Makes the nodes of expressions that stand in one scope. */
final class ExpressionCompiler {
  private final ClassDefinition holder;
  private final Universe universe;
  private final CodeScope scope;
  private final MessageCompiler messages;
  private final BlockCompiler blocks;

  ExpressionCompiler(ClassDefinition holder, CodeScope scope) {
    this.holder = holder;
    this.universe = holder.universe();
    this.scope = scope;
    this.messages = new MessageCompiler(this);
    this.blocks = new BlockCompiler(this);
  }

  ClassDefinition holder() {
    return holder;
  }

  CodeScope scope() {
    return scope;
  }

  MessageCompiler messages() {
    return messages;
  }

  BlockCompiler blocks() {
    return blocks;
  }

  ExpressionCompiler in(CodeScope inner) {
    return new ExpressionCompiler(holder, inner);
  }

  /** Locals' initial values, then the expressions; may be empty. */
  List<ExpressionNode> statements(Body body) {
    List<ExpressionNode> nodes = new ArrayList<>();
    for (SlotTree local : body.locals()) {
      // The initial value does not see its own variable: the name means what it means around it.
      ExpressionNode initial = local.initial() == null ? null : compile(local.initial());
      Variable variable = scope.declare(local.name(), local.mutable());
      if (initial != null) {
        nodes.add(write(ContextNode.current(), variable, initial).at(local.at())
            .asStatement(local.at(), local.at() + local.name().length()));
      } else if (scope.isInlined()) {
        // A loop comes here again, and finds what its last turn left.
        nodes.add(new LocalResetNode(variable.index()).at(local.at()));
      }
    }
    for (int index = 0; index < body.statements().size(); index++) {
      Expression statement = body.statements().get(index);
      nodes.add(compile(statement).asStatement(statement.start(), body.ends().get(index)));
    }
    return nodes;
  }

  ExpressionNode compile(Expression expression) {
    ExpressionNode node = switch (expression) {
      case Expression.Self self -> self();
      case Expression.Super self -> self();
      case Expression.Name name -> name(name);
      case Expression.Outer outer -> outer(outer).self();
      case Expression.Literal literal -> literal(literal.value());
      case Expression.SymbolLiteral symbol -> new LiteralNode(SSymbol.of(symbol.text()));
      case Expression.ArrayLiteral array -> new ArrayLiteralNode(universe, all(array.elements()));
      case Expression.BlockLiteral block -> blocks.literal(block);
      case Expression.ObjectLiteral object -> object(object.tree());
      case Expression.Send send -> messages.send(send);
      case Expression.Assignment assignment -> assignment(assignment);
      case Expression.Cascade cascade -> cascade(cascade);
      case Expression.Return back -> back(back);
    };
    // A return is often no more than its value, which has a place already.
    if (node.offset() < 0) {
      node.at(expression.at());
    }
    return expression instanceof Expression.Send ? node.asCall() : node.asExpression();
  }

  ExpressionNode[] all(List<Expression> expressions) {
    return expressions.stream().map(this::compile).toArray(ExpressionNode[]::new);
  }

  ExpressionNode self() {
    return Place.of(scope).self();
  }

  static ExpressionNode literal(Object value) {
    return switch (value) {
      case null -> new LiteralNode(Nil.NIL);
      case Long number -> new LongLiteralNode(number);
      case String text -> new LiteralNode(Letters.shared(text));
      default -> new LiteralNode(value);
    };
  }

  private ExpressionNode name(Expression.Name name) {
    for (Place place = Place.of(scope); place != null; place = place.outer()) {
      if (place.scope() instanceof CodeScope code) {
        Variable variable = code.find(name.name());
        if (variable != null) {
          return variable.argument() ? new ArgumentNode(place.context(), variable.index())
              : VariableReadNode.of(place.context(), variable.index());
        }
      }
    }
    return messages.implicit(name.name(), List.of());
  }

  private ExpressionNode assignment(Expression.Assignment assignment) {
    for (Place place = Place.of(scope); place != null; place = place.outer()) {
      if (place.scope() instanceof CodeScope code) {
        Variable variable = code.find(assignment.name());
        if (variable != null && !variable.mutable()) {
          // The parser finds it, but not where a debugger evaluates.
          String kind = variable.argument() ? "an argument" : "a constant";
          throw new SyntaxMistake(holder.tree().source(), assignment.at(),
              "'" + assignment.name() + "' is " + kind + ", so it cannot be assigned");
        }
        if (variable != null) {
          return write(place.context(), variable, compile(assignment.value()));
        }
      }
    }
    return messages.implicit(assignment.name() + ":", List.of(assignment.value()));
  }

  private static ExpressionNode write(
      ContextNode context, Variable variable, ExpressionNode value) {
    return VariableWriteNode.of(context, variable.index(), variable.type(), value);
  }

  /** The place of the class around this code that `outer` names. */
  Place outer(Expression.Outer outer) {
    for (Place place = Place.of(scope); place != null; place = place.outer()) {
      if (place.scope() instanceof ClassScope cls
          && cls.definition().name().equals(outer.className())) {
        return place;
      }
    }
    throw new SyntaxMistake(holder.tree().source(), outer.at(),
        "No class '" + outer.className() + "' encloses this code");
  }

  private ExpressionNode object(ClassTree tree) {
    ClassDefinition definition =
        holder.literal(tree, scope, scope.depth(), scope.around().part().home());
    scope.useContexts();
    return new ObjectLiteralNode(new FreshClassNode(definition, self(), inherited(tree)));
  }

  /** The superclass of a class, then its mixins. */
  ExpressionNode[] inherited(ClassTree tree) {
    List<ExpressionNode> inherited = new ArrayList<>();
    inherited.add(tree.superclass() == null ? messages.implicit("Object", List.of())
        : compile(tree.superclass().reference()));
    for (Inheritance mixin : tree.mixins()) {
      inherited.add(compile(mixin.reference()));
    }
    return inherited.toArray(new ExpressionNode[inherited.size()]);
  }

  private ExpressionNode cascade(Expression.Cascade cascade) {
    ExpressionNode receiver = compile(cascade.receiver());
    int slot = scope.hiddenSlot();
    List<ExpressionNode> nodes = new ArrayList<>();
    nodes.add(VariableWriteNode.of(ContextNode.current(), slot, new LocalType(), receiver));
    for (Expression.Message message : cascade.messages()) {
      Lookup lookup = messages.lookup(cascade.receiver(), SSymbol.of(message.selector()));
      nodes.add(new SendNode(lookup, VariableReadNode.of(ContextNode.current(), slot),
          all(message.arguments())).at(message.at()));
    }
    return SequenceNode.of(nodes);
  }

  private ExpressionNode back(Expression.Return back) {
    ExpressionNode value = compile(back.value());
    CodeScope root = scope.root();
    if (!root.returnsOutwards()) {
      if (scope.isInlined()) {
        scope.returnLocally();
        return new LocalReturn(value);
      }
      return value;
    }
    scope.returnFromBlock();
    CodeScope home = scope.home();
    Place place = Place.of(scope);
    while (place.scope() != home) {
      place = place.outer();
    }
    Lookup escaped = messages.lookup(new Expression.Self(0), SSymbol.of("escapedBlock:"));
    return new NonLocalReturn(
        place.context(), home.returnMarker(), value, place.self(), escaped);
  }

  Lookup selfLookup(SSymbol selector) {
    Place place = Place.of(scope);
    while (!(place.scope() instanceof ClassScope)) {
      place = place.outer();
      if (place == null) {
        return new Lookup(universe, selector, LookupKind.SELF, Part.of(holder), false);
      }
    }
    ClassScope cls = (ClassScope) place.scope();
    return new Lookup(universe, selector, LookupKind.SELF, cls.part(), cls.classSide());
  }
}
