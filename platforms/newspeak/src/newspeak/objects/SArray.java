package newspeak.objects;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import java.util.Arrays;

/**
 * An instance of Array, ValueArray or TransferArray, or of a subclass. An array that was filled
 * with numbers of 64 bits, doubles or booleans holds them without boxes until another kind of
 * element comes. An array that nothing was stored in has nils only, and no room for elements yet.
 */
public final class SArray extends SObject {
  private static final Object[] EMPTY = {};
  /** Is in the place of the elements while all of them are nil. */
  private static final Object NILS = new Object();

  private final boolean plain;
  private final boolean writable;
  private volatile SClass[] nested;
  private Object storage;
  private int size;

  public SArray(SClass cls) {
    this(cls, EMPTY);
  }

  public SArray(SClass cls, Object[] storage) {
    super(cls);
    this.plain = cls.layout().isPlainArray();
    this.writable = plain && !cls.layout().isValue();
    setStorage(storage);
  }

  @Override
  SClass[] nestedClasses() {
    return nested;
  }

  @Override
  void setNestedClasses(SClass[] classes) {
    nested = classes;
  }

  /** Its `at:` and `at:put:` are the kernel's. */
  public boolean isPlain() {
    return plain;
  }

  /** Plain, and no value. */
  public boolean isWritable() {
    return writable;
  }

  /** An element by its index from 0; the array keeps its elements as they are. */
  public Object element(int index) {
    return switch (storage) {
      case Object[] objects -> objects[index];
      case long[] longs -> longs[index];
      case double[] reals -> reals[index];
      case boolean[] booleans -> booleans[index];
      default -> Nil.NIL;
    };
  }

  public int size() {
    return size;
  }

  /** All elements with boxes; they are held so from now on. */
  public Object[] storage() {
    if (storage == NILS) {
      Object[] objects = new Object[size];
      Arrays.fill(objects, Nil.NIL);
      storage = objects;
      return objects;
    }
    return storage instanceof Object[] objects ? objects : generalise();
  }

  public void setStorage(Object[] elements) {
    storage = elements.getClass() == Object[].class ? elements
        : Arrays.copyOf(elements, elements.length, Object[].class);
    size = elements.length;
  }

  /** Gives a new array so many elements, which are nil. */
  public void allocate(int count) {
    storage = NILS;
    size = count;
  }

  /** Whether no element was ever stored, so that all are nil. */
  public boolean hasOnlyNils() {
    return storage == NILS;
  }

  /** Object[], long[], double[] or boolean[], or what stands for nils only. */
  public Object unboxed() {
    return storage;
  }

  /** Makes all elements the same one; a primitive one is held without boxes. */
  @TruffleBoundary
  public void fill(Object element) {
    switch (element) {
      case Long one -> Arrays.fill((long[]) (storage = new long[size]), one);
      case Double one -> Arrays.fill((double[]) (storage = new double[size]), one);
      case Boolean one -> Arrays.fill((boolean[]) (storage = new boolean[size]), one);
      default -> Arrays.fill(storage(), element);
    }
  }

  @TruffleBoundary
  private Object[] generalise() {
    Object[] objects = switch (storage) {
      case long[] longs -> Arrays.stream(longs).boxed().toArray();
      case double[] doubles -> Arrays.stream(doubles).boxed().toArray();
      case boolean[] booleans -> {
        Object[] boxed = new Object[booleans.length];
        Arrays.setAll(boxed, index -> booleans[index]);
        yield boxed;
      }
      default -> throw new IllegalStateException("no storage: " + storage);
    };
    storage = objects;
    return objects;
  }
}
