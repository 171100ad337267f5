package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.objects.Application;
import newspeak.objects.SClass;
import newspeak.objects.SObject;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;

/**
 * From an object to what the class of a definition among its classes is closed over: the object
 * around, or the frame around an object literal. Most code sees one class, which has one such
 * object; for one layout the way to it through the superclasses is always the same.
 */
public final class EnclosingNode extends ExpressionNode {
  @Child private ExpressionNode inner;
  private final ClassDefinition definition;
  private final boolean classSide;
  private final boolean frameWanted;
  @CompilationFinal private Way way;
  @CompilationFinal private Sole sole;
  @CompilationFinal private boolean several;

  /** The only class seen so far: for it the object around is a constant. */
  private record Sole(SClass cls, Application application) {}

  private record Way(Layout layout, int superclasses, int part) {}

  private EnclosingNode(
      ExpressionNode inner, ClassDefinition definition, boolean classSide, boolean frameWanted) {
    this.inner = inner;
    this.definition = definition;
    this.classSide = classSide;
    this.frameWanted = frameWanted;
  }

  /** `classSide`: the code is that of a class, which is then the inner object itself. */
  public static EnclosingNode object(
      ExpressionNode inner, ClassDefinition definition, boolean classSide) {
    return new EnclosingNode(inner, definition, classSide, false);
  }

  public static EnclosingNode frame(
      ExpressionNode inner, ClassDefinition definition, boolean classSide) {
    return new EnclosingNode(inner, definition, classSide, true);
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Object object = inner.execute(frame);
    SClass cls = classSide ? (SClass) object : classOf(object);
    Application application = application(cls);
    return frameWanted ? application.frame() : application.enclosing();
  }

  private SClass classOf(Object object) {
    return object instanceof SObject one ? one.cls()
        : definition.universe().classes().classOf(object);
  }

  private Application application(SClass cls) {
    if (!several) {
      Sole one = sole;
      if (one != null && one.cls == cls) {
        return one.application;
      }
      CompilerDirectives.transferToInterpreterAndInvalidate();
      if (one == null) {
        Application found = slowly(cls, definition);
        sole = new Sole(cls, found);
        return found;
      }
      several = true;
    }
    Way known = way;
    if (known == null) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      known = wayFrom(cls.layout(), definition);
      way = known;
    }
    if (cls.layout() == known.layout) {
      return follow(cls, known);
    }
    return slowly(cls, definition);
  }

  @ExplodeLoop
  private static Application follow(SClass cls, Way known) {
    SClass found = cls;
    for (int up = 0; up < known.superclasses; up++) {
      found = found.superclass();
    }
    return found.application(known.part);
  }

  @TruffleBoundary
  private static Application slowly(SClass cls, ClassDefinition definition) {
    Way other = wayFrom(cls.layout(), definition);
    SClass found = cls;
    for (int up = 0; up < other.superclasses; up++) {
      found = found.superclass();
    }
    return found.application(other.part);
  }

  private static Way wayFrom(Layout layout, ClassDefinition definition) {
    Layout holder = layout.holderOf(definition);
    return new Way(layout, layout.distanceTo(definition), holder.parts().indexOf(definition));
  }
}
