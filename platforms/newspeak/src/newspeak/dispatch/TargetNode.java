package newspeak.dispatch;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.nodes.DirectCallNode;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.nodes.UnexpectedResultException;
import newspeak.objects.SArray;
import newspeak.objects.SClass;
import newspeak.objects.SObject;
import newspeak.runtime.Sending;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Member;
import newspeak.structure.MethodDefinition;
import newspeak.structure.SlotDefinition;

/** Does what a found member does; the receiver is the first of the arguments. */
abstract class TargetNode extends Node {
  abstract Object execute(Object[] arguments);

  boolean executeBoolean(Object[] arguments) throws UnexpectedResultException {
    return decision(execute(arguments));
  }

  /** An answer that is to be a boolean. */
  static boolean decision(Object answer) throws UnexpectedResultException {
    if (answer instanceof Boolean) {
      return answer == Boolean.TRUE; // the only box of true: no load
    }
    throw new UnexpectedResultException(answer);
  }

  static TargetNode of(Lookup lookup, Object receiver) {
    Member member = lookup.find(receiver);
    return switch (member) {
      case null -> new NotUnderstood(lookup, receiver);
      case MethodDefinition method when method.constant() != null ->
          new Constant(method.constant());
      case MethodDefinition method -> new Call(method.target());
      case Member.Factory factory -> new Call(
          ((SClass) receiver).layout().factory(factory.definition().factory()));
      case Member.Reader reader -> new Read(SlotReadNodeGen.create(reader.slot()));
      case Member.Writer writer -> new Write(writer.slot());
      case Member.Nested nested -> new NestedClass(lookup, nested.definition(), (SObject) receiver);
    };
  }

  /** A method that only answers a literal, as many predicates do, is not called. */
  private static final class Constant extends TargetNode {
    private final Object value;

    Constant(Object value) {
      this.value = value;
    }

    @Override
    Object execute(Object[] arguments) {
      return value;
    }

    @Override
    boolean executeBoolean(Object[] arguments) throws UnexpectedResultException {
      return decision(value);
    }
  }

  private static final class Call extends TargetNode {
    @Child private DirectCallNode call;

    Call(RootCallTarget target) {
      call = DirectCallNode.create(target);
    }

    @Override
    Object execute(Object[] arguments) {
      return call.call(arguments);
    }
  }

  private static final class Read extends TargetNode {
    @Child private SlotReadNode read;

    Read(SlotReadNode read) {
      this.read = read;
    }

    @Override
    Object execute(Object[] arguments) {
      return read.execute((SObject) arguments[0]);
    }
  }

  private static final class Write extends TargetNode {
    private final SlotDefinition slot;
    @Child private SlotWriteNode write;

    Write(SlotDefinition slot) {
      this.slot = slot;
      this.write = SlotWriteNode.of(slot);
    }

    @Override
    Object execute(Object[] arguments) {
      slot.note(arguments[1]);
      write.execute((SObject) arguments[0], arguments[1]);
      return arguments[1];
    }
  }

  private static final class NestedClass extends TargetNode {
    private final Lookup lookup;
    private final ClassDefinition definition;
    private final int index;

    NestedClass(Lookup lookup, ClassDefinition definition, SObject receiver) {
      this.lookup = lookup;
      this.definition = definition;
      this.index = receiver.layout().nestedIndex(definition);
    }

    @Override
    Object execute(Object[] arguments) {
      SObject object = (SObject) arguments[0];
      SClass known = object.nested(index);
      return known != null ? known : lookup.universe().classFactory().nested(object, definition);
    }
  }

  private static final class NotUnderstood extends TargetNode {
    private final Lookup lookup;
    @Child private DirectCallNode call;

    NotUnderstood(Lookup lookup, Object receiver) {
      this.lookup = lookup;
      call = DirectCallNode.create(Sending.hook(lookup.universe(), receiver));
    }

    @Override
    Object execute(Object[] arguments) {
      Object[] rest = new Object[arguments.length - 1];
      System.arraycopy(arguments, 1, rest, 0, rest.length);
      SArray array = new SArray(lookup.universe().classes().array(), rest);
      return call.call(arguments[0], lookup.selector(), array);
    }
  }
}
