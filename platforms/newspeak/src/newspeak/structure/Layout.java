package newspeak.structure;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.object.Shape;
import java.lang.invoke.MethodHandles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import newspeak.compiler.InitialiserCompiler;
import newspeak.objects.SArray;
import newspeak.objects.SInstance;
import newspeak.objects.SObject;
import newspeak.objects.SSymbol;
import newspeak.syntax.Access;
import newspeak.syntax.ClassTree;

/**
 * What all classes of one definition and superclass chain share: members, slots, shape. Caches are
 * keyed by it, and `on:do:` compares it.
 */
public final class Layout {
  private static final SSymbol AT = SSymbol.of("at:");
  private static final SSymbol AT_PUT = SSymbol.of("at:put:");
  private static final SSymbol SAME = SSymbol.of("==");
  private static final SSymbol DIFFERENT = SSymbol.of("~=");

  private final ClassDefinition definition;
  private final Layout superlayout;
  private final List<ClassDefinition> parts;
  private final Map<SSymbol, Member> members = new HashMap<>();
  private final Map<ClassDefinition, Integer> nestedIndex = new HashMap<>();
  private final boolean meta;
  private final boolean array;
  private final boolean plainArray;
  private final boolean value;
  private final boolean transfer;
  private final int slotCount;
  private final Shape shape;
  private Layout metaLayout;
  private final Map<SSymbol, RootCallTarget> factories = new HashMap<>();

  Layout(ClassDefinition definition, Layout superlayout, List<ClassDefinition> mixins) {
    this.definition = definition;
    this.superlayout = superlayout;
    this.meta = false;
    this.parts = new ArrayList<>();
    parts.add(definition);
    parts.addAll(mixins);
    Natives natives = definition.universe().natives();
    this.array = superlayout != null && superlayout.array || natives.isArray(definition);
    this.value =
        superlayout != null && superlayout.value || parts.stream().anyMatch(natives::isValue);
    this.transfer =
        superlayout != null && superlayout.transfer || parts.stream().anyMatch(natives::isTransfer);
    mixins.forEach(mixin -> members.putAll(onThisLevel(mixin, mixin.members())));
    members.putAll(onThisLevel(definition, definition.members()));
    if (superlayout != null && (members.containsKey(SAME) || members.containsKey(DIFFERENT))) {
      definition.universe().identityKept().invalidate();
    }
    this.plainArray = natives.isArray(definition) || array && superlayout.plainArray
        && !members.containsKey(AT) && !members.containsKey(AT_PUT);
    if (superlayout != null) {
      nestedIndex.putAll(superlayout.nestedIndex);
    }
    for (ClassDefinition part : parts) {
      part.nested().forEach(one -> nestedIndex.putIfAbsent(one, nestedIndex.size()));
    }
    this.slotCount = (superlayout == null ? 0 : superlayout.slotCount)
        + parts.stream().mapToInt(part -> part.slots().size()).sum();
    this.shape = Shape.newBuilder().layout(objectClass(), MethodHandles.lookup())
        .dynamicType(this).build();
  }

  private Layout(Layout instances, Layout superlayout) {
    this.definition = instances.definition;
    this.superlayout = superlayout;
    this.meta = true;
    this.parts = List.of(definition);
    this.array = false;
    this.plainArray = false;
    this.value = false;
    this.transfer = false;
    this.slotCount = 0;
    members.putAll(instances.onThisLevel(definition, definition.classMembers()));
    this.shape = null;
  }

  /** The level of a part of this layout: null if no superclass has the part too. */
  private Layout home(ClassDefinition part) {
    return superlayout == null || superlayout.highestWith(part) == null ? null : this;
  }

  /** The members of a part. Those of the highest level do not know what they are mixed into. */
  private Map<SSymbol, Member> onThisLevel(ClassDefinition part, Map<SSymbol, Member> highest) {
    Layout home = home(part);
    if (home == null) {
      return highest;
    }
    Map<SSymbol, Member> own = new HashMap<>(highest);
    own.replaceAll(
        (name, member) -> member instanceof MethodDefinition method ? method.at(home) : member);
    return own;
  }

  public String name() {
    return meta ? definition.name() + " class" : definition.name();
  }

  public ClassDefinition definition() {
    return definition;
  }

  public Layout superlayout() {
    return superlayout;
  }

  public boolean isArray() {
    return array;
  }

  /**
   * Whether nothing happens to a new instance: no class of the chain has anything to do, nor could
   * a message of an inheritance clause fail or have an effect by its arguments.
   */
  public boolean initialisesNothing() {
    for (Layout one = this; one != null; one = one.superlayout) {
      ClassTree tree = one.definition.tree();
      boolean silent = tree.mixins().isEmpty() && one.definition.initialisesNothing()
          && (tree.superclass() == null || tree.superclass().selector() == null);
      if (!silent) {
        return false;
      }
    }
    return true;
  }

  /** The Java class of the instances. */
  public Class<? extends SObject> objectClass() {
    return array ? SArray.class : SInstance.javaClass(nestedCount(), slotCount);
  }

  /** Arrays whose `at:` and `at:put:` are the kernel's. */
  public boolean isPlainArray() {
    return plainArray;
  }

  /** Instances are values: deeply immutable, shared by actors. */
  public boolean isValue() {
    return value;
  }

  /** Instances are copied when they are passed to another actor. */
  public boolean isTransfer() {
    return transfer;
  }

  public Shape shape() {
    return shape;
  }

  /** How many slots an instance has, inherited and mixed-in ones too. */
  public int slotCount() {
    return slotCount;
  }

  public int nestedCount() {
    return nestedIndex.size();
  }

  public int nestedIndex(ClassDefinition nested) {
    return nestedIndex.get(nested);
  }

  public boolean isMeta() {
    return meta;
  }

  /** Own definition, then the mixins'. */
  public List<ClassDefinition> parts() {
    return parts;
  }

  /** Own members and those of the mixins, without inherited ones. */
  public Map<SSymbol, Member> members() {
    return members;
  }

  public boolean inheritsFrom(Layout other) {
    for (Layout one = this; one != null; one = one.superlayout) {
      if (one == other) {
        return true;
      }
    }
    return false;
  }

  /** The layout of the classes' class: factory and methods of the class side. */
  @TruffleBoundary
  public synchronized Layout metaLayout() {
    if (metaLayout == null) {
      metaLayout = new Layout(this, definition.universe().classes().classLayout());
    }
    return metaLayout;
  }

  /** The root that makes an instance: the class and the factory's arguments go in. */
  public RootCallTarget factory() {
    return factory(definition.factory());
  }

  /**
   * The same by a factory's name. `super` can reach one of a superclass. Then the levels above the
   * lowest one with this factory are initialised, that level too.
   */
  public synchronized RootCallTarget factory(SSymbol selector) {
    return factories.computeIfAbsent(selector, name -> {
      Layout level = this;
      while (level.definition.factory() != name) {
        level = level.superlayout;
      }
      return InitialiserCompiler.factory(this, level).getCallTarget();
    });
  }

  /** Initialises what a part brings; the first part brings what is inherited and mixed in, too. */
  public RootCallTarget initialiser(int part) {
    ClassDefinition one = parts.get(part);
    return one.initialiser(home(one), part == 0);
  }

  /** What anyone's message finds. */
  public Member findPublic(SSymbol selector) {
    for (Layout one = this; one != null; one = one.superlayout) {
      Member member = one.members.get(selector);
      if (member != null && member.access() == Access.PUBLIC) {
        return member;
      }
    }
    return null;
  }

  /** What a message of the object to itself finds, private members apart. */
  public Member findInherited(SSymbol selector) {
    for (Layout one = this; one != null; one = one.superlayout) {
      Member member = one.members.get(selector);
      if (member != null && member.access() != Access.PRIVATE) {
        return member;
      }
    }
    return null;
  }

  /** What a message finds that stands in the code of the layout `holder`, which may be null. */
  public Member findSelf(SSymbol selector, Layout holder) {
    if (holder != null) {
      Member member = holder.members.get(selector);
      if (member != null && member.access() == Access.PRIVATE) {
        return member;
      }
    }
    return findInherited(selector);
  }

  /** The highest layout in the chain that a definition is part of, or null. */
  Layout highestWith(ClassDefinition part) {
    Layout highest = null;
    for (Layout one = this; one != null; one = one.superlayout) {
      if (one.parts.contains(part)) {
        highest = one;
      }
    }
    return highest;
  }

  /** Whether the slot is immutable, and only one part of the chain gives it a value. */
  public boolean initialisesOnce(SlotDefinition slot) {
    int holders = 0;
    for (Layout one = this; one != null; one = one.superlayout) {
      for (ClassDefinition part : one.parts) {
        holders += part.slots().contains(slot) ? 1 : 0;
      }
    }
    return !slot.isMutable() && holders == 1;
  }

  /** How many superclasses up the other layout is. */
  public int distanceTo(Layout other) {
    int distance = 0;
    for (Layout one = this; one != other; one = one.superlayout) {
      distance++;
    }
    return distance;
  }
}
