package newspeak.dispatch;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.object.Shape;
import newspeak.objects.Nil;
import newspeak.objects.SClass;
import newspeak.objects.SObject;
import newspeak.structure.Layout;

/** Whether a receiver is of the kind that a cache entry was made for. */
abstract class Guard {
  abstract boolean test(Object receiver);

  /** Whether it is for a single object: nil, true or false. */
  boolean isOfIdentity() {
    return false;
  }

  /** Whether a guard of the whole layout of this receiver would replace this one. */
  boolean isNarrowerThanLayoutOf(Object receiver) {
    return false;
  }

  /** The narrowest guard. */
  static Guard of(Object receiver) {
    if (receiver instanceof SObject object) {
      return new OfShape(object);
    }
    if (receiver instanceof SClass cls) {
      return new OfClass(cls.layout());
    }
    if (receiver instanceof Boolean || receiver == Nil.NIL) {
      return new OfIdentity(receiver);
    }
    return new OfJavaClass(receiver.getClass());
  }

  /** The guard for all objects of the receiver's layout, whatever types their slots hold. */
  static Guard ofLayout(Object receiver) {
    return new OfLayout(((SObject) receiver).layout());
  }

  /** Objects of a layout whose slots hold one set of types; reading a slot asks the same. */
  private static final class OfShape extends Guard {
    private final Shape shape;
    private final Layout layout;
    private final Class<? extends SObject> exactly;

    OfShape(SObject object) {
      this.shape = object.getShape();
      this.layout = object.layout();
      this.exactly = layout.objectClass();
    }

    @Override
    boolean test(Object receiver) {
      return CompilerDirectives.isExact(receiver, exactly)
          && CompilerDirectives.castExact(receiver, exactly).getShape() == shape;
    }

    @Override
    boolean isNarrowerThanLayoutOf(Object receiver) {
      return receiver instanceof SObject object && object.layout() == layout;
    }
  }

  private static final class OfLayout extends Guard {
    private final Layout layout;
    private final Class<? extends SObject> exactly;

    OfLayout(Layout layout) {
      this.layout = layout;
      this.exactly = layout.objectClass();
    }

    @Override
    boolean test(Object receiver) {
      return CompilerDirectives.isExact(receiver, exactly)
          && CompilerDirectives.castExact(receiver, exactly).layout() == layout;
    }
  }

  private static final class OfClass extends Guard {
    private final Layout layout;

    OfClass(Layout layout) {
      this.layout = layout;
    }

    @Override
    boolean test(Object receiver) {
      return receiver instanceof SClass cls && cls.layout() == layout;
    }
  }

  private static final class OfIdentity extends Guard {
    private final Object expected;

    OfIdentity(Object expected) {
      this.expected = expected;
    }

    @Override
    boolean isOfIdentity() {
      return true;
    }

    @Override
    boolean test(Object receiver) {
      return receiver == expected;
    }
  }

  private static final class OfJavaClass extends Guard {
    private final Class<?> expected;

    OfJavaClass(Class<?> expected) {
      this.expected = expected;
    }

    @Override
    boolean test(Object receiver) {
      return receiver.getClass() == expected;
    }
  }
}
