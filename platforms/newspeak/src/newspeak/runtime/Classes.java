package newspeak.runtime;

import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import java.math.BigInteger;
import java.util.List;
import newspeak.objects.Application;
import newspeak.objects.Nil;
import newspeak.objects.SBlock;
import newspeak.objects.SClass;
import newspeak.objects.SDefinition;
import newspeak.objects.SFarReference;
import newspeak.objects.SFile;
import newspeak.objects.SInstance;
import newspeak.objects.SObject;
import newspeak.objects.SPromise;
import newspeak.objects.SResolver;
import newspeak.objects.SSymbol;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Layout;

/** The kernel's module object, and the classes of what is no SObject. */
public final class Classes {
  private final Universe universe;
  private final ClassDefinition definition;
  private final SObject kernel;
  private final SClass object;
  private final SClass value;
  @CompilationFinal private SClass cls;
  @CompilationFinal private SClass metaclass;
  @CompilationFinal private SClass nil;
  @CompilationFinal private SClass trueClass;
  @CompilationFinal private SClass falseClass;
  @CompilationFinal private SClass integer;
  @CompilationFinal private SClass real;
  @CompilationFinal private SClass string;
  @CompilationFinal private SClass symbol;
  @CompilationFinal private SClass block;
  @CompilationFinal private SClass array;
  @CompilationFinal private SClass valueArray;
  @CompilationFinal private SClass farReference;
  @CompilationFinal private SClass promise;
  @CompilationFinal private SClass resolver;

  Classes(Universe universe, ClassDefinition definition) {
    this.universe = universe;
    this.definition = definition;
    universe.natives().setKernel(definition);
    // The kernel is an instance of a class that inherits from a class inside the kernel.
    Layout things = nested("Thing").layout(null, List.of());
    Layout values = nested("Value").layout(things, List.of());
    SClass kernelClass = new SClass(
        definition.layout(values, List.of()), null, closedOver(Nil.NIL), true);
    kernel = SInstance.of(kernelClass);
    SClass thing = first("Thing", things, null);
    object = first("Object", nested("Object").layout(things, List.of()), thing);
    value = first("Value", values, thing);
    kernelClass.setSuperclass(value);
  }

  /** Makes the classes whose superclass expressions are run, which needs the first ones. */
  void complete() {
    cls = named("Class");
    metaclass = named("Metaclass");
    nil = named("Nil");
    trueClass = named("True");
    falseClass = named("False");
    integer = named("Integer");
    real = named("Double");
    string = named("String");
    symbol = named("Symbol");
    block = named("Block");
    array = named("Array");
    valueArray = named("ValueArray");
  }

  private static Application[] closedOver(Object enclosing) {
    return new Application[] {new Application(enclosing, null)};
  }

  private ClassDefinition nested(String name) {
    return definition.nested().stream().filter(one -> one.name().equals(name)).findFirst()
        .orElseThrow(() -> universe.fatal("The kernel has no class " + name));
  }

  private SClass first(String name, Layout layout, SClass superclass) {
    SClass made = new SClass(layout, superclass, closedOver(kernel), true);
    kernel.setNested(kernel.layout().nestedIndex(nested(name)), made);
    return made;
  }

  /** A class of the kernel by its name. */
  public SClass named(String name) {
    return universe.classFactory().nested(kernel, nested(name));
  }

  /** The classes by which programs see the actors' own objects. */
  public void setActorClasses(SClass reference, SClass promises, SClass resolvers) {
    farReference = reference;
    promise = promises;
    resolver = resolvers;
  }

  public SObject kernel() {
    return kernel;
  }

  public SClass object() {
    return object;
  }

  public SClass value() {
    return value;
  }

  public SClass array() {
    return array;
  }

  public SClass valueArray() {
    return valueArray;
  }


  /** Of the class of all classes. */
  public Layout classLayout() {
    return cls.layout();
  }

  public Layout layoutOf(Object thing) {
    if (thing instanceof SObject one) {
      return one.layout();
    }
    return thing instanceof SClass one ? metaLayout(one) : classOf(thing).layout();
  }

  private Layout metaLayout(SClass one) {
    return one.layout().isMeta() ? metaclass.layout() : one.layout().metaLayout();
  }

  public SClass classOf(Object thing) {
    return switch (thing) {
      case SObject one -> one.cls();
      case Long one -> integer;
      case BigInteger one -> integer;
      case Double one -> real;
      case Boolean one -> one ? trueClass : falseClass;
      case String one -> string;
      case SSymbol one -> symbol;
      case SBlock one -> block;
      case Nil one -> nil;
      case SClass one -> one.layout().isMeta() ? metaclass : one.metaclass(cls);
      case SFarReference one -> farReference;
      case SPromise one -> promise;
      case SResolver one -> resolver;
      case SDefinition one -> object;
      case SFile one -> object;
      default -> throw new IllegalStateException("no class for " + thing.getClass());
    };
  }
}
