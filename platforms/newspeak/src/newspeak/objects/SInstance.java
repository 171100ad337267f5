package newspeak.objects;

import newspeak.structure.Layout;

/**
 * An instance of any class but the arrays'. Its first slots are fields of the Java object. A slot
 * can hold a number or a reference, and may change between them: an object has as many fields of
 * each kind as its class has slots, at most four.
 */
public abstract sealed class SInstance extends SObject {
  private SInstance(SClass cls) {
    super(cls);
  }

  public static SInstance of(SClass cls) {
    return of(cls.layout(), cls);
  }

  /** A new instance of a class with this layout. Its slots are not set. */
  public static SInstance of(Layout layout, SClass cls) {
    if (layout.nestedCount() > 0) {
      return new WithClasses(cls);
    }
    return switch (layout.slotCount()) {
      case 0, 1 -> new OneSlot(cls);
      case 2 -> new TwoSlots(cls);
      case 3 -> new ThreeSlots(cls);
      default -> new ManySlots(cls);
    };
  }

  /** The Java class of such instances. */
  public static Class<? extends SInstance> javaClass(int nested, int slots) {
    if (nested > 0) {
      return WithClasses.class;
    }
    return switch (slots) {
      case 0, 1 -> OneSlot.class;
      case 2 -> TwoSlots.class;
      case 3 -> ThreeSlots.class;
      default -> ManySlots.class;
    };
  }

  private static final class OneSlot extends SInstance {
    @DynamicField private long number;
    @DynamicField private Object reference;

    OneSlot(SClass cls) {
      super(cls);
    }
  }

  private static final class TwoSlots extends SInstance {
    @DynamicField private long number1;
    @DynamicField private long number2;
    @DynamicField private Object reference1;
    @DynamicField private Object reference2;

    TwoSlots(SClass cls) {
      super(cls);
    }
  }

  private static final class ThreeSlots extends SInstance {
    @DynamicField private long number1;
    @DynamicField private long number2;
    @DynamicField private long number3;
    @DynamicField private Object reference1;
    @DynamicField private Object reference2;
    @DynamicField private Object reference3;

    ThreeSlots(SClass cls) {
      super(cls);
    }
  }

  private static final class ManySlots extends SInstance {
    @DynamicField private long number1;
    @DynamicField private long number2;
    @DynamicField private long number3;
    @DynamicField private long number4;
    @DynamicField private Object reference1;
    @DynamicField private Object reference2;
    @DynamicField private Object reference3;
    @DynamicField private Object reference4;

    ManySlots(SClass cls) {
      super(cls);
    }
  }

  /** An instance of a class with nested classes. */
  private static final class WithClasses extends SInstance {
    @DynamicField private long number1;
    @DynamicField private long number2;
    @DynamicField private long number3;
    @DynamicField private long number4;
    @DynamicField private Object reference1;
    @DynamicField private Object reference2;
    @DynamicField private Object reference3;
    @DynamicField private Object reference4;
    private volatile SClass[] nested;

    WithClasses(SClass cls) {
      super(cls);
    }

    @Override
    SClass[] nestedClasses() {
      return nested;
    }

    @Override
    void setNestedClasses(SClass[] classes) {
      nested = classes;
    }
  }
}
