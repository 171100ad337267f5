package newspeak.nodes;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import java.util.Arrays;
import newspeak.objects.Application;
import newspeak.objects.SClass;
import newspeak.objects.SObject;
import newspeak.structure.Layout;
import newspeak.structure.Part;

/**
 * From an object to what the class of a definition among its classes is closed over: the object
 * around, or the frame around an object literal. Most code sees few classes: its own, or those that
 * inherit it. Each of them has one such object. For one layout the way to it through the
 * superclasses is always the same.
 */
public final class EnclosingNode extends ExpressionNode {
  @Child private ExpressionNode inner;
  private final Part part;
  private final boolean classSide;
  private final boolean frameWanted;
  private static final int LIMIT = 6;

  @CompilationFinal(dimensions = 1) private Seen[] classes = {};
  @CompilationFinal(dimensions = 1) private Way[] ways = {};
  @CompilationFinal private boolean many;

  /** A class that was seen: for it the object around is a constant. */
  private record Seen(SClass cls, Application application) {}

  private record Way(Layout layout, int superclasses, int part) {}

  private EnclosingNode(
      ExpressionNode inner, Part part, boolean classSide, boolean frameWanted) {
    this.inner = inner;
    this.part = part;
    this.classSide = classSide;
    this.frameWanted = frameWanted;
  }

  /** `classSide`: the code is that of a class, which is then the inner object itself. */
  public static EnclosingNode object(ExpressionNode inner, Part part, boolean classSide) {
    return new EnclosingNode(inner, part, classSide, false);
  }

  public static EnclosingNode frame(ExpressionNode inner, Part part, boolean classSide) {
    return new EnclosingNode(inner, part, classSide, true);
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
        : part.definition().universe().classes().classOf(object);
  }

  @ExplodeLoop
  private Application application(SClass cls) {
    if (!many) {
      for (Seen one : classes) {
        if (one.cls == cls) {
          return one.application;
        }
      }
      CompilerDirectives.transferToInterpreterAndInvalidate();
      return atomic(() -> remember(cls));
    }
    for (Way known : ways) {
      if (cls.layout() == known.layout) {
        return follow(cls, known);
      }
    }
    if (ways.length < LIMIT) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      atomic(() -> learn(cls.layout()));
    }
    return slowly(cls, part);
  }

  private Application remember(SClass cls) {
    Application found = slowly(cls, part);
    if (classes.length < LIMIT) {
      Seen[] more = Arrays.copyOf(classes, classes.length + 1);
      more[classes.length] = new Seen(cls, found);
      classes = more;
    } else {
      many = true;
      classes = new Seen[0];
    }
    return found;
  }

  private void learn(Layout layout) {
    Way[] more = Arrays.copyOf(ways, ways.length + 1);
    more[ways.length] = wayFrom(layout, part);
    ways = more;
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
  private static Application slowly(SClass cls, Part part) {
    Way other = wayFrom(cls.layout(), part);
    SClass found = cls;
    for (int up = 0; up < other.superclasses; up++) {
      found = found.superclass();
    }
    return found.application(other.part);
  }

  private static Way wayFrom(Layout layout, Part part) {
    Layout level = part.in(layout);
    return new Way(layout, layout.distanceTo(level), level.parts().indexOf(part.definition()));
  }
}
