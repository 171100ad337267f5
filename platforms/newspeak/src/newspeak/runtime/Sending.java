package newspeak.runtime;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.object.DynamicObjectLibrary;
import newspeak.dispatch.Lookup;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SClass;
import newspeak.objects.SFarReference;
import newspeak.objects.SObject;
import newspeak.objects.SSymbol;
import newspeak.structure.Member;
import newspeak.structure.MethodDefinition;

/** Messages without a cache: from the implementation itself, and at sites with many receivers. */
public final class Sending {
  private Sending() {}

  @TruffleBoundary
  public static Object send(Lookup lookup, Object[] arguments) {
    Object receiver = arguments[0];
    Member member = lookup.find(receiver);
    DynamicObjectLibrary properties = DynamicObjectLibrary.getUncached();
    return switch (member) {
      case null -> notUnderstood(lookup, arguments);
      case MethodDefinition method -> method.target().call(arguments);
      case Member.Factory factory -> ((SClass) receiver).layout()
          .factory(factory.definition().factory()).call(arguments);
      case Member.Reader reader ->
          properties.getOrDefault((SObject) receiver, reader.slot(), Nil.NIL);
      case Member.Writer writer -> {
        properties.put((SObject) receiver, writer.slot(), arguments[1]);
        yield arguments[1];
      }
      case Member.Nested nested ->
          lookup.universe().classFactory().nested((SObject) receiver, nested.definition());
    };
  }

  @TruffleBoundary
  public static Object send(Universe universe, Object receiver, String selector, Object... rest) {
    Object[] arguments = new Object[rest.length + 1];
    arguments[0] = receiver;
    System.arraycopy(rest, 0, arguments, 1, rest.length);
    return send(Lookup.ofPublic(universe, SSymbol.of(selector)), arguments);
  }

  private static Object notUnderstood(Lookup lookup, Object[] arguments) {
    Universe universe = lookup.universe();
    Object[] rest = new Object[arguments.length - 1];
    System.arraycopy(arguments, 1, rest, 0, rest.length);
    return hook(universe, arguments[0]).call(
        arguments[0], lookup.selector(), new SArray(universe.classes().array(), rest));
  }

  /** The method of a receiver that a failed message is sent to: a protected or a public one. */
  public static RootCallTarget hook(Universe universe, Object receiver) {
    Member hook = universe.classes().layoutOf(receiver)
        .findInherited(SSymbol.of("doesNotUnderstand:arguments:"));
    return ((MethodDefinition) hook).target();
  }

  /** The text of an object, for people; what goes wrong in its asString does not get out. */
  public static String text(Universe universe, Object object) {
    if (object instanceof SFarReference far) {
      // Its own actor alone may ask it; the name of its class never changes.
      return far.actor() == universe.currentActor() ? text(universe, far.value())
          : universe.classes().classOf(far.value()).name() + " of another actor";
    }
    try {
      Object answer = send(universe, object, "asString");
      return answer instanceof String || answer instanceof SSymbol ? answer.toString()
          : "instance of " + universe.classes().classOf(object).name();
    } catch (SException | StackOverflowError failed) {
      return "instance of " + universe.classes().classOf(object).name();
    }
  }
}
