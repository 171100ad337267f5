package newspeak.objects;

import com.oracle.truffle.api.object.DynamicObject;
import newspeak.structure.Layout;

/** An instance of a class written in Newspeak. Its slots are properties, keyed by definitions. */
public abstract sealed class SObject extends DynamicObject permits SInstance, SArray {
  private final SClass cls;
  private volatile SClass[] nested;

  SObject(SClass cls) {
    super(cls.layout().shape());
    this.cls = cls;
  }

  public final SClass cls() {
    return cls;
  }

  public final Layout layout() {
    return cls.layout();
  }

  /** The class object of a nested class of this object, or null before it is first read. */
  public final SClass nested(int index) {
    SClass[] classes = nested;
    return classes == null ? null : classes[index];
  }

  /** Called with the lock of this object held. */
  public final void setNested(int index, SClass made) {
    SClass[] classes = nested == null ? new SClass[layout().nestedCount()] : nested.clone();
    classes[index] = made;
    nested = classes;
  }
}
