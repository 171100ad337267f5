package newspeak.structure;

import com.oracle.truffle.api.RootCallTarget;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import newspeak.compiler.InitialiserCompiler;
import newspeak.compiler.Scope;
import newspeak.objects.SSymbol;
import newspeak.runtime.Universe;
import newspeak.syntax.ClassTree;
import newspeak.syntax.MethodTree;
import newspeak.syntax.SlotTree;

/** A class as its text defines it, without what it inherits. */
public final class ClassDefinition {
  private final Universe universe;
  private final ClassTree tree;
  private final ClassDefinition outer;
  private final Scope outerScope;
  private final List<SlotDefinition> slots = new ArrayList<>();
  private final Map<SSymbol, Member> members = new LinkedHashMap<>();
  private final Map<SSymbol, Member> classMembers = new LinkedHashMap<>();
  private final Map<Literal, ClassDefinition> literals = new HashMap<>();
  private final Map<List<Object>, Layout> layouts = new HashMap<>();
  private final Map<Initialiser, RootCallTarget> initialisers = new HashMap<>();
  private RootCallTarget inheritance;

  /**
   * A definition.
   *
   * @param outer the definition around it, or null for a module
   * @param outerScope what the names in an object literal may mean besides; else null
   */
  public ClassDefinition(
      Universe universe, ClassTree tree, ClassDefinition outer, Scope outerScope) {
    this.universe = universe;
    this.tree = tree;
    this.outer = outer;
    this.outerScope = outerScope;
    for (SlotTree one : tree.slots()) {
      SlotDefinition slot = new SlotDefinition(one);
      slots.add(slot);
      members.put(slot.name(), new Member.Reader(slot));
      if (slot.isMutable()) {
        members.put(SSymbol.of(one.name() + ":"), new Member.Writer(slot));
      }
    }
    for (ClassTree one : tree.classes()) {
      members.put(SSymbol.of(one.name()),
          new Member.Nested(new ClassDefinition(universe, one, this, null)));
    }
    for (MethodTree one : tree.methods()) {
      MethodDefinition method = new MethodDefinition(Part.of(this), one, false);
      members.put(method.selector(), method);
    }
    classMembers.put(SSymbol.of(tree.factory().selector()), new Member.Factory(this));
    for (MethodTree one : tree.classMethods()) {
      MethodDefinition method = new MethodDefinition(Part.of(this), one, true);
      classMembers.put(method.selector(), method);
    }
  }

  public Universe universe() {
    return universe;
  }

  public ClassTree tree() {
    return tree;
  }

  public String name() {
    return tree.name();
  }

  public ClassDefinition outer() {
    return outer;
  }

  public Scope outerScope() {
    return outerScope;
  }

  public List<SlotDefinition> slots() {
    return slots;
  }

  /** Members of instances, in the order of the text. */
  public Map<SSymbol, Member> members() {
    return members;
  }

  public Map<SSymbol, Member> classMembers() {
    return classMembers;
  }

  public SSymbol factory() {
    return SSymbol.of(tree.factory().selector());
  }

  public Collection<ClassDefinition> nested() {
    List<ClassDefinition> found = new ArrayList<>();
    for (Member member : members.values()) {
      if (member instanceof Member.Nested one) {
        found.add(one.definition());
      }
    }
    return found;
  }

  /** The slot in which an initialiser stores; its own, not an inherited one. */
  public SlotDefinition slot(SlotTree of) {
    return slots.stream().filter(one -> one.tree() == of).findFirst().orElseThrow();
  }

  /** An object literal by its place, how many frames its code reaches out of, and its level. */
  private record Literal(int at, int depth, Layout home) {}

  /**
   * The definition of an object literal in the code of this class: one, however often the code is
   * compiled.
   */
  public synchronized ClassDefinition literal(
      ClassTree literal, Scope scope, int depth, Layout home) {
    return literals.computeIfAbsent(new Literal(literal.at(), depth, home),
        key -> new ClassDefinition(universe, literal, this, scope));
  }

  /** The layout of classes of this definition that inherit so. */
  public synchronized Layout layout(Layout superlayout, List<ClassDefinition> mixins) {
    List<Object> key = new ArrayList<>(mixins);
    key.add(superlayout);
    return layouts.computeIfAbsent(key, unused -> new Layout(this, superlayout, mixins));
  }

  /** Answers an array of the superclass and the mixins; the receiver is the object around. */
  public synchronized RootCallTarget inheritance() {
    if (inheritance == null) {
      inheritance = InitialiserCompiler.inheritance(this).getCallTarget();
    }
    return inheritance;
  }

  /** Whether its own part of the initialisation does nothing. */
  public boolean initialisesNothing() {
    return tree.initialisers().isEmpty()
        && tree.slots().stream().allMatch(slot -> slot.initial() == null);
  }

  private record Initialiser(Layout home, boolean whole) {}

  /** The initialiser on a level; `whole` with what is inherited and mixed in, else only its own. */
  synchronized RootCallTarget initialiser(Layout home, boolean whole) {
    return initialisers.computeIfAbsent(new Initialiser(home, whole), key ->
        InitialiserCompiler.initialiser(new Part(this, home), whole).getCallTarget());
  }
}
