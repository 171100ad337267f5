package newspeak.primitives;

import java.util.Arrays;
import java.util.Map;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SBlock;
import newspeak.objects.Values;
import newspeak.runtime.Universe;

/** Arrays of both kinds; indices count from 1. */
final class ArrayPrimitives {
  private ArrayPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("valueArray:size:from:", ArrayPrimitives::fill);
    known.put("array:from:to:", ArrayPrimitives::copy);
  }

  private static Object[] storage(Universe universe, Object size) {
    if (!(size instanceof Long count) || count < 0 || count > Integer.MAX_VALUE - 8) {
      throw universe.signals().argumentError(size);
    }
    Object[] storage = new Object[count.intValue()];
    Arrays.fill(storage, Nil.NIL);
    return storage;
  }

  /**
   * Fills the array if that is all that filling by `at:put:` could do: the element's `value` is
   * itself. Answers whether it did.
   */
  static Object fillWith(Universe universe, Object[] all) {
    SArray array = (SArray) all[0];
    boolean own = all[1] instanceof Long || all[1] instanceof Double || all[1] instanceof Boolean
        || all[1] == Nil.NIL;
    if (own && array.isWritable()) {
      array.fill(all[1]);
      return true;
    }
    return false;
  }

  /** A size that no array can have. */
  static Object noSize(Universe universe, Object[] all) {
    throw universe.signals().argumentError(all[1]);
  }

  /** The block gets the index; what it answers must be a value. */
  private static Object fill(Universe universe, Object[] all) {
    Object[] storage = storage(universe, all[1]);
    for (int index = 0; index < storage.length; index++) {
      Object element = all[2] instanceof SBlock block
          ? BlockPrimitives.cull(universe, block, new Object[] {(long) index + 1}) : all[2];
      if (!Values.isValue(element)) {
        throw universe.signals().notAValue(universe.classes().classOf(element));
      }
      storage[index] = element;
    }
    ((SArray) all[0]).setStorage(storage);
    return all[0];
  }

  private static Object copy(Universe universe, Object[] all) {
    SArray array = (SArray) all[0];
    long start = TextPrimitives.index(universe, all[1]);
    long end = TextPrimitives.index(universe, all[2]);
    if (start < 1 || start > array.storage().length + 1) {
      throw universe.signals().indexOutOfBounds(array, start);
    }
    if (end < start - 1 || end > array.storage().length) {
      throw universe.signals().indexOutOfBounds(array, end);
    }
    Object[] part = Arrays.copyOfRange(array.storage(), (int) start - 1, (int) end);
    return new SArray(universe.classes().array(), part);
  }

  /** Where the fast way does not serve: subclasses, and indices that do not exist. */
  static Object at(Universe universe, Object[] all) {
    Object[] storage = ((SArray) all[0]).storage();
    if (all[1] instanceof Long index && index >= 1 && index <= storage.length) {
      return storage[index.intValue() - 1];
    }
    throw universe.signals().indexOutOfBounds(all[0], all[1]);
  }

  static Object put(Universe universe, Object[] all) {
    Object[] storage = ((SArray) all[0]).storage();
    if (all[1] instanceof Long index && index >= 1 && index <= storage.length) {
      storage[index.intValue() - 1] = all[2];
      return all[2];
    }
    throw universe.signals().indexOutOfBounds(all[0], all[1]);
  }
}
