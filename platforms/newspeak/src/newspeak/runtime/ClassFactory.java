package newspeak.runtime;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.frame.MaterializedFrame;
import java.util.ArrayList;
import java.util.List;
import newspeak.lexer.SyntaxMistake;
import newspeak.objects.Application;
import newspeak.objects.Nil;
import newspeak.objects.SClass;
import newspeak.objects.SObject;
import newspeak.objects.Values;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;
import newspeak.structure.SlotDefinition;

/** Makes class objects, and checks what a class of values promises. */
public final class ClassFactory {
  private final Universe universe;

  ClassFactory(Universe universe) {
    this.universe = universe;
  }

  /** The class object of a nested class of an object: always the same one. */
  @TruffleBoundary
  public SClass nested(SObject owner, ClassDefinition definition) {
    int index = owner.layout().nestedIndex(definition);
    SClass known = owner.nested(index);
    if (known != null) {
      return known;
    }
    return universe.makings().forActor(new Nested(owner, definition),
        () -> owner.nested(index), () -> makeNested(owner, definition, index));
  }

  /** A nested class while it is made. */
  private record Nested(SObject owner, ClassDefinition definition) {}

  /** Superclass expressions are programs: they run without the lock. */
  private SClass makeNested(SObject owner, ClassDefinition definition, int index) {
    SClass made = make(definition, owner, null, (Object[]) definition.inheritance().call(owner));
    synchronized (owner) {
      SClass earlier = owner.nested(index);
      if (earlier == null) {
        owner.setNested(index, made);
      }
      return earlier == null ? made : earlier;
    }
  }

  /** A new class object of a file's class. */
  @TruffleBoundary
  public SClass module(ClassDefinition definition) {
    Object[] inherited = (Object[]) definition.inheritance().call(Nil.NIL);
    return make(definition, Nil.NIL, null, inherited);
  }

  /** A class object; `inherited` is the superclass and the mixins. */
  @TruffleBoundary
  public SClass make(ClassDefinition definition, Object enclosing, MaterializedFrame frame,
      Object[] inherited) {
    List<ClassDefinition> mixins = new ArrayList<>();
    Application[] applications = new Application[inherited.length];
    applications[0] = new Application(enclosing, frame);
    SClass superclass = checked(definition, inherited[0]);
    for (int index = 1; index < inherited.length; index++) {
      SClass mixin = checked(definition, inherited[index]);
      mixins.add(mixin.layout().definition());
      applications[index] = mixin.application(0);
    }
    Layout layout = definition.layout(superclass.layout(), mixins);
    boolean value = Values.isValue(enclosing);
    SClass made = new SClass(layout, superclass, applications, value);
    if (layout.isValue() && layout.isTransfer()) {
      throw universe.signals().transferValue(made);
    }
    if (layout.isValue()) {
      checkSlots(layout);
    }
    if ((layout.isValue() || layout.isTransfer()) && !value) {
      throw universe.signals().notAValue(made);
    }
    return made;
  }

  private SClass checked(ClassDefinition definition, Object inherited) {
    if (inherited instanceof SClass cls && !cls.layout().isMeta()) {
      return cls;
    }
    throw universe.fatal(new SyntaxMistake(definition.tree().source(), definition.tree().at(),
        "The class " + definition.name() + " inherits from an object that is not a class"));
  }

  /** The slots of values never change: own, inherited, mixed in, and of the classes around. */
  private void checkSlots(Layout layout) {
    for (Layout one = layout; one != null; one = one.superlayout()) {
      one.parts().forEach(part -> checkSlots(layout, part));
    }
    ClassDefinition around = layout.definition().outer();
    for (; around != null; around = around.outer()) {
      checkSlots(layout, around);
    }
  }

  private void checkSlots(Layout layout, ClassDefinition part) {
    for (SlotDefinition slot : part.slots()) {
      if (slot.isMutable()) {
        throw universe.fatal(new SyntaxMistake(part.tree().source(), slot.tree().at(),
            "The class " + layout.name() + " is a Value, but the slot " + slot.name().text()
                + " of " + part.name() + " is mutable"));
      }
    }
  }
}
