package newspeak.dispatch;

import com.oracle.truffle.api.dsl.Specialization;
import com.oracle.truffle.api.library.CachedLibrary;
import com.oracle.truffle.api.nodes.Node;
import com.oracle.truffle.api.object.DynamicObjectLibrary;
import newspeak.objects.SObject;
import newspeak.structure.SlotDefinition;

/** Writes a slot. */
public abstract class SlotWriteNode extends Node {
  private final SlotDefinition slot;

  SlotWriteNode(SlotDefinition slot) {
    this.slot = slot;
  }

  public static SlotWriteNode of(SlotDefinition slot) {
    return SlotWriteNodeGen.create(slot);
  }

  public abstract void execute(SObject object, Object value);

  @Specialization(limit = "6")
  void write(SObject object, Object value,
      @CachedLibrary("object") DynamicObjectLibrary properties) {
    properties.put(object, slot, value);
  }
}
