package newspeak.operators;

import newspeak.objects.SArray;

/** An array's elements if they are held in this way; else null. */
final class Elements {
  private Elements() {}

  static Object[] objects(SArray array) {
    return array.unboxed() instanceof Object[] objects ? objects : null;
  }

  static long[] longs(SArray array) {
    return array.unboxed() instanceof long[] longs ? longs : null;
  }

  static double[] doubles(SArray array) {
    return array.unboxed() instanceof double[] doubles ? doubles : null;
  }

  static boolean[] booleans(SArray array) {
    return array.unboxed() instanceof boolean[] booleans ? booleans : null;
  }

  /** Whether an index, from 1, is one of so many elements. */
  static boolean has(long index, int length) {
    return index > 0 && index <= length;
  }
}
