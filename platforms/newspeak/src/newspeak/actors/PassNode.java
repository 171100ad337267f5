package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.dsl.Cached;
import com.oracle.truffle.api.dsl.ImportStatic;
import com.oracle.truffle.api.dsl.Specialization;
import com.oracle.truffle.api.nodes.Node;
import newspeak.objects.SBlock;
import newspeak.objects.SFarReference;
import newspeak.objects.SObject;
import newspeak.objects.Values;
import newspeak.runtime.Universe;
import newspeak.structure.Layout;

/** What becomes of an object that one actor passes to another, by the cases seen at one place. */
@ImportStatic({Values.class, CompilerDirectives.class})
abstract class PassNode extends Node {
  private final Universe universe;

  PassNode(Universe universe) {
    this.universe = universe;
  }

  abstract Object execute(Object object, Actor from, Actor to);

  @Specialization(guards = "from == to")
  Object withinAnActor(Object object, Actor from, Actor to) {
    return object;
  }

  @Specialization(guards = "reference.actor() == to")
  Object home(SFarReference reference, Actor from, Actor to) {
    return reference.value();
  }

  @Specialization(guards = "reference.actor() != to")
  Object toAThirdActor(SFarReference reference, Actor from, Actor to) {
    return reference;
  }

  @Specialization(guards = {"kind != null", "isExact(object, kind)"}, limit = "3")
  Object ofKind(Object object, Actor from, Actor to, @Cached("kindOf(object)") Class<?> kind) {
    return object;
  }

  @Specialization(guards = "object.layout().isValue()")
  Object value(SObject object, Actor from, Actor to) {
    return object;
  }

  @Specialization(guards = "isLeftBehind(object.layout())")
  Object mutable(SObject object, Actor from, Actor to) {
    return new SFarReference(from, object);
  }

  @Specialization
  Object block(SBlock block, Actor from, Actor to) {
    return new SFarReference(from, block);
  }

  @Specialization(replaces = {
      "withinAnActor", "home", "toAThirdActor", "ofKind", "value", "mutable", "block"})
  Object other(Object object, Actor from, Actor to) {
    return Transfer.pass(universe, object, from, to);
  }

  static boolean isLeftBehind(Layout layout) {
    return !layout.isValue() && !layout.isTransfer();
  }
}
