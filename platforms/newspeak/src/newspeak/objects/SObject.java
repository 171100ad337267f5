package newspeak.objects;

import com.oracle.truffle.api.object.DynamicObject;
import newspeak.structure.Layout;

/** An instance of a class written in Newspeak. Its slots are properties, keyed by definitions. */
public abstract sealed class SObject extends DynamicObject permits SInstance, SArray {
  private final SClass cls;

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
    SClass[] classes = nestedClasses();
    return classes == null ? null : classes[index];
  }

  /** Called with the lock of this object held. */
  public final void setNested(int index, SClass made) {
    SClass[] before = nestedClasses();
    SClass[] classes = before == null ? new SClass[layout().nestedCount()] : before.clone();
    classes[index] = made;
    setNestedClasses(classes);
  }

  /** All of them, by index; null before the first, and if the object's class has none. */
  SClass[] nestedClasses() {
    return null;
  }

  void setNestedClasses(SClass[] classes) {
    throw new IllegalStateException(cls.name() + " has no nested classes");
  }
}
