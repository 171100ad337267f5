package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.dsl.Cached;
import com.oracle.truffle.api.dsl.ImportStatic;
import com.oracle.truffle.api.dsl.Specialization;
import com.oracle.truffle.api.nodes.Node;
import newspeak.objects.SObject;
import newspeak.objects.Values;

/** Whether an object is a value, by the kinds of objects that were seen at one place. */
@ImportStatic({Values.class, CompilerDirectives.class})
abstract class IsValueNode extends Node {
  abstract boolean execute(Object object);

  @Specialization(guards = {"kind != null", "isExact(object, kind)"}, limit = "3")
  boolean ofKind(Object object, @Cached("kindOf(object)") Class<?> kind) {
    return true;
  }

  @Specialization
  boolean ofObject(SObject object) {
    return object.layout().isValue();
  }

  @Specialization(replaces = {"ofKind", "ofObject"})
  boolean ofAny(Object object) {
    return Values.isValue(object);
  }
}
