package newspeak.primitives;

import java.util.Arrays;
import java.util.Map;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SBlock;
import newspeak.runtime.Universe;

/** Calls of blocks with arguments in an array. */
final class BlockPrimitives {
  private BlockPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("blockArity:", (universe, all) -> (long) ((SBlock) all[0]).arity());
    known.put("blockValue:with:", (universe, all) ->
        call(universe, (SBlock) all[0], elements(universe, all[1])));
    known.put("blockCull:with:", (universe, all) ->
        cull(universe, (SBlock) all[0], elements(universe, all[1])));
  }

  private static Object[] elements(Universe universe, Object array) {
    if (array instanceof SArray one) {
      return one.storage();
    }
    throw universe.signals().argumentError(array);
  }

  private static Object call(Universe universe, SBlock block, Object[] elements) {
    if (block.arity() != elements.length) {
      throw universe.signals().argumentError(block);
    }
    Object[] all = new Object[elements.length + 1];
    all[0] = block;
    System.arraycopy(elements, 0, all, 1, elements.length);
    return block.target().call(all);
  }

  /** Arguments that the block does not want are left out. */
  static Object cull(Universe universe, SBlock block, Object[] elements) {
    return call(universe, block, elements.length <= block.arity() ? elements
        : Arrays.copyOf(elements, block.arity()));
  }

  static Object wrongArity(Universe universe, Object[] all) {
    throw universe.signals().argumentError(all.length == 0 ? Nil.NIL : all[0]);
  }
}
