package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import com.oracle.truffle.api.nodes.Node;
import java.util.ArrayList;
import java.util.List;
import newspeak.dispatch.SlotReadNode;
import newspeak.objects.SObject;
import newspeak.objects.Values;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;
import newspeak.structure.SlotDefinition;

/** At the end of a value's construction: every slot must hold a value. */
final class ValueCheckNode extends Node {
  private final Universe universe;
  @Children private final SlotReadNode[] reads;

  private ValueCheckNode(Universe universe, SlotReadNode[] reads) {
    this.universe = universe;
    this.reads = reads;
  }

  /** For all slots of a layout, inherited and mixed-in ones too. */
  static ValueCheckNode of(Layout layout) {
    List<SlotReadNode> reads = new ArrayList<>();
    for (Layout one = layout; one != null; one = one.superlayout()) {
      for (ClassDefinition part : one.parts()) {
        for (SlotDefinition slot : part.slots()) {
          reads.add(SlotReadNode.of(slot));
        }
      }
    }
    return new ValueCheckNode(
        layout.definition().universe(), reads.toArray(new SlotReadNode[reads.size()]));
  }

  @ExplodeLoop
  void execute(SObject object) {
    for (SlotReadNode read : reads) {
      if (!Values.isValue(read.execute(object))) {
        CompilerDirectives.transferToInterpreter();
        throw universe.signals().notAValue(object.cls());
      }
    }
  }
}
