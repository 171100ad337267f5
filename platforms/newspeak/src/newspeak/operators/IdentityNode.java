package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.SObject;

/** Whether two objects are the same, for the kernel: no program has redefined that. */
public abstract class IdentityNode extends BinaryNode {
  @Specialization
  boolean ofLongs(long receiver, long argument) {
    return receiver == argument;
  }

  @Specialization
  boolean ofObject(SObject receiver, Object argument) {
    return receiver == argument;
  }

  @Fallback
  boolean others(Object receiver, Object argument) {
    return Equality.same(receiver, argument);
  }
}
