package newspeak.operators;

import com.oracle.truffle.api.CompilerDirectives;
import newspeak.objects.SArray;

/**
 * How an array holds its elements, and the elements once that is known. Types are compared exactly:
 * a store into an array of objects then needs no check of the element's type.
 */
final class Elements {
  private Elements() {}

  static boolean areObjects(SArray array) {
    return CompilerDirectives.isExact(array.unboxed(), Object[].class);
  }

  static boolean areLongs(SArray array) {
    return CompilerDirectives.isExact(array.unboxed(), long[].class);
  }

  static boolean areDoubles(SArray array) {
    return CompilerDirectives.isExact(array.unboxed(), double[].class);
  }

  static boolean areBooleans(SArray array) {
    return CompilerDirectives.isExact(array.unboxed(), boolean[].class);
  }

  static Object[] objects(SArray array) {
    return CompilerDirectives.castExact(array.unboxed(), Object[].class);
  }

  static long[] longs(SArray array) {
    return CompilerDirectives.castExact(array.unboxed(), long[].class);
  }

  static double[] doubles(SArray array) {
    return CompilerDirectives.castExact(array.unboxed(), double[].class);
  }

  static boolean[] booleans(SArray array) {
    return CompilerDirectives.castExact(array.unboxed(), boolean[].class);
  }

  /** Where the element with this index, which counts from 1, is. */
  static int place(long index) {
    return (int) index - 1;
  }

  /** Whether an index is one of so many elements: the same comparison as Java's own check. */
  static boolean has(long index, int length) {
    int place = place(index);
    return place == index - 1 && Integer.compareUnsigned(place, length) < 0;
  }
}
