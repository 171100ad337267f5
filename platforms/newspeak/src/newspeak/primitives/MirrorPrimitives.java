package newspeak.primitives;

import java.util.Collection;
import java.util.Map;
import newspeak.dispatch.Lookup;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SClass;
import newspeak.objects.SDefinition;
import newspeak.objects.SObject;
import newspeak.objects.SSymbol;
import newspeak.runtime.Sending;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;
import newspeak.structure.MethodDefinition;
import newspeak.structure.SlotDefinition;

/** Reflection. */
final class MirrorPrimitives {
  private MirrorPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("perform:on:with:", MirrorPrimitives::perform);
    known.put("classReflectedBy:", (universe, all) -> all[0] instanceof SClass
        ? all[0] : universe.classes().classOf(all[0]));
    known.put("superclassOf:", (universe, all) -> {
      SClass above = ((SClass) all[0]).superclass();
      return above == null ? Nil.NIL : above;
    });
    known.put("definitionOf:", (universe, all) ->
        new SDefinition(((SClass) all[0]).layout().definition()));
    known.put("definitionName:", (universe, all) -> SSymbol.of(definition(all[0]).name()));
    known.put("definitionPath:", (universe, all) -> definition(all[0]).tree().source().path());
    known.put("definitionMethods:", (universe, all) -> array(universe,
        definition(all[0]).members().values().stream()
            .filter(one -> one instanceof MethodDefinition)
            .map(one -> ((MethodDefinition) one).selector()).toArray()));
    known.put("definitionSlots:", (universe, all) -> array(universe,
        definition(all[0]).slots().stream().map(SlotDefinition::name).toArray()));
    known.put("definitionNested:", (universe, all) -> nested(universe, definition(all[0])));
    known.put("definition:hasFactoryMethod:", (universe, all) ->
        definition(all[0]).classMembers().containsKey(SSymbol.of(all[1].toString())));
    known.put("class:understands:", (universe, all) -> {
      Collection<SSymbol> own = ((SClass) all[0]).layout().members().keySet();
      return own.contains(SSymbol.of(all[1].toString()));
    });
    known.put("factoryOf:", (universe, all) -> {
      if (all[0] instanceof SClass cls) {
        return cls.layout().definition().factory();
      }
      throw universe.signals().argumentError(all[0]);
    });
    known.put("definitionsIn:", (universe, all) -> nestedIn(universe, all[0]));
    known.put("instantiate:in:", MirrorPrimitives::instantiate);
  }

  private static ClassDefinition definition(Object mirrored) {
    return ((SDefinition) mirrored).definition();
  }

  private static Object array(Universe universe, Object[] elements) {
    return new SArray(universe.classes().array(), elements);
  }

  /** Sees public members only, whoever asks. */
  private static Object perform(Universe universe, Object[] all) {
    SSymbol selector = SSymbol.of(TextPrimitives.text(universe, all[0]));
    Object[] rest = all[2] instanceof SArray array ? array.storage() : new Object[0];
    if (selector.arity() != rest.length) {
      throw universe.signals().argumentError(selector);
    }
    Object[] arguments = new Object[rest.length + 1];
    arguments[0] = all[1];
    System.arraycopy(rest, 0, arguments, 1, rest.length);
    return Sending.send(Lookup.ofPublic(universe, selector), arguments);
  }

  /** The definitions of the classes that are nested in an object, in the text's order. */
  private static Object nestedIn(Universe universe, Object object) {
    return object instanceof SObject one ? nested(universe, one.layout().definition())
        : array(universe, new Object[0]);
  }

  /** The class object of a definition that is nested in an object's class. */
  private static Object instantiate(Universe universe, Object[] all) {
    ClassDefinition definition = definition(all[0]);
    if (all[1] instanceof SObject object
        && object.layout().definition().nested().contains(definition)) {
      return universe.classFactory().nested(object, definition);
    }
    throw universe.signals().argumentError(all[1]);
  }

  private static Object nested(Universe universe, ClassDefinition definition) {
    return array(universe, definition.nested().stream().map(SDefinition::new).toArray());
  }
}
