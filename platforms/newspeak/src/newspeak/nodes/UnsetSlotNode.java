package newspeak.nodes;

import com.oracle.truffle.api.nodes.Node;
import java.util.ArrayList;
import java.util.List;
import newspeak.dispatch.SlotWriteNode;
import newspeak.objects.Nil;
import newspeak.objects.SObject;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;
import newspeak.structure.SlotDefinition;

/**
 * Stores nil in a slot of a new object that has no initial value. Without that, the object would
 * have one shape before the slot is first written, and another one afterwards.
 */
final class UnsetSlotNode extends Node {
  private final SlotDefinition slot;
  @Child private SlotWriteNode write;

  private UnsetSlotNode(SlotDefinition slot) {
    this.slot = slot;
    this.write = SlotWriteNode.of(slot);
  }

  /** For all such slots of a layout, inherited and mixed-in ones too. */
  static UnsetSlotNode[] of(Layout layout) {
    List<UnsetSlotNode> nodes = new ArrayList<>();
    for (Layout one = layout; one != null; one = one.superlayout()) {
      for (ClassDefinition part : one.parts()) {
        part.slots().stream().filter(slot -> slot.tree().initial() == null)
            .forEach(slot -> nodes.add(new UnsetSlotNode(slot)));
      }
    }
    return nodes.toArray(new UnsetSlotNode[nodes.size()]);
  }

  void execute(SObject object) {
    if (slot.beginsAsNil()) {
      write.execute(object, Nil.NIL);
    }
  }
}
