package newspeak.dispatch;

import com.oracle.truffle.api.dsl.Specialization;
import com.oracle.truffle.api.library.CachedLibrary;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.object.DynamicObjectLibrary;
import newspeak.objects.Nil;
import newspeak.objects.SObject;
import newspeak.structure.SlotDefinition;

/** Reads a slot; nil before it is set. */
public abstract class SlotReadNode extends Node {
  private final SlotDefinition slot;

  SlotReadNode(SlotDefinition slot) {
    this.slot = slot;
  }

  public static SlotReadNode of(SlotDefinition slot) {
    return SlotReadNodeGen.create(slot);
  }

  public abstract Object execute(SObject object);

  @Specialization(limit = "6")
  Object read(SObject object, @CachedLibrary("object") DynamicObjectLibrary properties) {
    return properties.getOrDefault(object, slot, Nil.NIL);
  }
}
