package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import com.oracle.truffle.api.nodes.Node;
import java.util.ArrayList;
import java.util.List;
import newspeak.dispatch.SlotReadNode;
import newspeak.objects.SObject;
import newspeak.objects.Values;
import newspeak.runtime.Switches;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;
import newspeak.structure.SlotDefinition;

/**
 * At the end of a value's construction: every slot must hold a value. So a value is known by its
 * class alone, and nobody has to follow its references.
 */
final class ValueCheckNode extends Node {
  private final Universe universe;
  private final SlotDefinition[] slots;
  @Children private final SlotReadNode[] reads;
  @Children private final IsValueNode[] checks;

  private ValueCheckNode(Universe universe, SlotDefinition[] slots) {
    this.universe = universe;
    this.slots = slots;
    int count = Switches.VALUE_CHECKS ? slots.length : 0;
    this.reads = new SlotReadNode[count];
    this.checks = new IsValueNode[count];
    for (int index = 0; index < count; index++) {
      reads[index] = SlotReadNode.of(slots[index]);
      checks[index] = IsValueNodeGen.create();
    }
  }

  /** For all slots of a layout, inherited and mixed-in ones too. */
  static ValueCheckNode of(Layout layout) {
    List<SlotDefinition> slots = new ArrayList<>();
    for (Layout one = layout; one != null; one = one.superlayout()) {
      for (ClassDefinition part : one.parts()) {
        slots.addAll(part.slots());
      }
    }
    return new ValueCheckNode(
        layout.definition().universe(), slots.toArray(new SlotDefinition[slots.size()]));
  }

  void execute(SObject object) {
    if (!(Switches.VALUE_CHECKS ? slotBySlot(object) : Values.areIn(object, slots))) {
      CompilerDirectives.transferToInterpreter();
      throw universe.signals().notAValue(object.cls());
    }
  }

  @ExplodeLoop
  private boolean slotBySlot(SObject object) {
    for (int index = 0; index < reads.length; index++) {
      if (!checks[index].execute(reads[index].execute(object))) {
        return false;
      }
    }
    return true;
  }
}
