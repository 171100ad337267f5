package newspeak.dispatch;

import newspeak.objects.Nil;
import newspeak.objects.SClass;
import newspeak.objects.SObject;
import newspeak.structure.Layout;

/** Whether a receiver is of the kind that a cache entry was made for. */
abstract class Guard {
  abstract boolean test(Object receiver);

  static Guard of(Object receiver) {
    if (receiver instanceof SObject object) {
      return new OfLayout(object.layout());
    }
    if (receiver instanceof SClass cls) {
      return new OfClass(cls.layout());
    }
    if (receiver instanceof Boolean || receiver == Nil.NIL) {
      return new OfIdentity(receiver);
    }
    return new OfJavaClass(receiver.getClass());
  }

  private static final class OfLayout extends Guard {
    private final Layout layout;

    OfLayout(Layout layout) {
      this.layout = layout;
    }

    @Override
    boolean test(Object receiver) {
      return receiver instanceof SObject object && object.layout() == layout;
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
    boolean test(Object receiver) {
      return receiver == expected
          || expected instanceof Boolean wanted && receiver instanceof Boolean found
              && wanted.booleanValue() == found.booleanValue();
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
