package newspeak.operators;

import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.objects.Nil;
import newspeak.objects.SObject;
import newspeak.objects.SSymbol;

/** `~=` where nobody has defined another one. */
public abstract class DifferentNode extends BinaryNode {
  @Specialization
  boolean ofLongs(long receiver, long argument) {
    return receiver != argument;
  }

  @Specialization
  boolean ofBooleans(boolean receiver, boolean argument) {
    return receiver != argument;
  }

  @Specialization
  boolean ofNil(Nil receiver, Object argument) {
    return receiver != argument;
  }

  @Specialization
  boolean ofSymbols(SSymbol receiver, Object argument) {
    return receiver != argument;
  }

  @Specialization(assumptions = "identityKept()")
  boolean ofObjects(SObject receiver, Object argument) {
    return receiver != argument;
  }

  @Fallback
  Object others(Object receiver, Object argument) {
    return otherwise(receiver, argument);
  }
}
