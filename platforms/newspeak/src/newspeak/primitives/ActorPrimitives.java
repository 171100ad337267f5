package newspeak.primitives;

import java.util.Map;
import newspeak.actors.Program;
import newspeak.objects.Nil;
import newspeak.objects.SBlock;
import newspeak.objects.SClass;
import newspeak.objects.SFarReference;
import newspeak.objects.SPromise;
import newspeak.objects.SResolver;
import newspeak.runtime.Sending;
import newspeak.runtime.Universe;

/** Actors and promises. */
final class ActorPrimitives {
  private ActorPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("actorClasses:promise:resolver:", (universe, all) -> {
      universe.classes().setActorClasses((SClass) all[0], (SClass) all[1], (SClass) all[2]);
      return Nil.NIL;
    });
    known.put("actorFrom:", (universe, all) -> universe.program().newActor(all[0]));
    known.put("newPromise", (universe, all) -> new SPromise(universe.currentActor()));
    known.put("resolverOf:", (universe, all) -> new SResolver((SPromise) all[0]));
    known.put("resolver:error:", (universe, all) -> {
      universe.program().promises().fail(
          ((SResolver) all[0]).promise(), all[1], universe.currentActor());
      return Nil.NIL;
    });
    known.put("promise:resolved:error:", (universe, all) ->
        universe.program().callback((SPromise) all[0], all[1], all[2]));
    known.put("observe:resolved:error:", (universe, all) -> {
      universe.program().observe((SPromise) all[0], all[1], all[2]);
      return Nil.NIL;
    });
    known.put("promiseOf:", (universe, all) -> promiseOf(universe, all[0]));
    known.put("groupOf:", (universe, all) -> ((SPromise) all[0]).group());
    known.put("promise:belongsTo:", (universe, all) -> {
      ((SPromise) all[0]).setGroup(all[1]);
      return all[0];
    });
    known.put("error:isOf:", (universe, all) -> all[1] instanceof SClass cls && universe.classes()
        .layoutOf(nearest(all[0])).inheritsFrom(cls.layout()));
    known.put("errorText:", (universe, all) -> Sending.text(universe, all[0]));
    known.put("after:do:", ActorPrimitives::after);
  }

  /** Of an error that another actor signalled, what it is there; its class never changes. */
  private static Object nearest(Object error) {
    return error instanceof SFarReference far ? far.value() : error;
  }

  /** The promise itself, or one that is resolved with the value already. */
  private static Object promiseOf(Universe universe, Object value) {
    if (value instanceof SPromise) {
      return value;
    }
    SPromise promise = new SPromise(universe.currentActor());
    universe.program().promises().resolve(promise, value, universe.currentActor());
    return promise;
  }

  private static Object after(Universe universe, Object[] all) {
    if (!(all[0] instanceof Number milliseconds) || !(all[1] instanceof SBlock block)) {
      throw universe.signals().argumentError(all[0] instanceof Number ? all[1] : all[0]);
    }
    Program program = universe.program();
    return program.after(milliseconds.longValue(), block);
  }
}
