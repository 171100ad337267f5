package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.SObject;

/** Whether two objects are equal, for the kernel: no program has redefined that. */
public abstract class EqualityNode extends BinaryNode {
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
    return Equality.equal(receiver, argument);
  }
}
