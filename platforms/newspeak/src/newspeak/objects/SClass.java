package newspeak.objects;

import com.oracle.truffle.api.interop.TruffleObject;
import newspeak.structure.Layout;

/** A class object: a layout, closed over the objects around its definition and its mixins'. */
public final class SClass implements TruffleObject {
  private final Layout layout;
  private final Application[] applications;
  private final boolean value;
  private SClass superclass;
  private volatile SClass metaclass;

  /**
   * A class.
   *
   * @param applications of the layout's definition, then of each mixin
   * @param value whether the class object itself is a value: the object around it is one
   */
  public SClass(Layout layout, SClass superclass, Application[] applications, boolean value) {
    this.layout = layout;
    this.superclass = superclass;
    this.applications = applications;
    this.value = value;
  }

  public Layout layout() {
    return layout;
  }

  public SClass superclass() {
    return superclass;
  }

  /** For the first classes, which need each other. */
  public void setSuperclass(SClass first) {
    superclass = first;
  }

  public Application application(int index) {
    return applications[index];
  }

  public Object enclosing() {
    return applications[0].enclosing();
  }

  public boolean isValue() {
    return value;
  }

  public String name() {
    return layout.name();
  }

  /** The class of this class; `root` is the superclass of all those. */
  public SClass metaclass(SClass root) {
    SClass known = metaclass;
    if (known == null) {
      synchronized (this) {
        known = metaclass;
        if (known == null) {
          known = new SClass(layout.metaLayout(), root, applications, value);
          metaclass = known;
        }
      }
    }
    return known;
  }
}
