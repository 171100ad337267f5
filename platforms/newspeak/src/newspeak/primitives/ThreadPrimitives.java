package newspeak.primitives;

import java.util.Map;
import newspeak.actors.Threads;
import newspeak.objects.Nil;
import newspeak.objects.SBlock;
import newspeak.objects.SFarReference;
import newspeak.runtime.Universe;

/** The threads of the actor that asks. */
final class ThreadPrimitives {
  private ThreadPrimitives() {}

  static void addTo(Map<String, Primitive> known) {
    known.put("spawn:as:", (universe, all) -> {
      SBlock block = (SBlock) all[0];
      threads(universe).spawn(all[1], () -> block.target().call(block));
      return all[1];
    });
    known.put("currentThread", (universe, all) -> {
      Object thread = universe.worker().thread();
      return thread == null ? Nil.NIL : thread;
    });
    known.put("letOtherThreadsRun", (universe, all) -> {
      threads(universe).letOthersRun();
      return Nil.NIL;
    });
    known.put("changeForThreads", (universe, all) -> {
      threads(universe).change();
      return Nil.NIL;
    });
    known.put("waitUntil:for:", ThreadPrimitives::waitUntil);
    // A value that leads to an object of this actor.
    known.put("referenceTo:", (universe, all) ->
        new SFarReference(universe.currentActor(), all[0]));
    known.put("referent:", (universe, all) -> {
      SFarReference reference = (SFarReference) all[0];
      if (reference.actor() != universe.currentActor()) {
        throw universe.signals().argumentError(reference);
      }
      return reference.value();
    });
  }

  private static Threads threads(Universe universe) {
    return universe.currentActor().threads(universe);
  }

  /** Without a time, for ever. */
  private static Object waitUntil(Universe universe, Object[] all) {
    SBlock condition = (SBlock) all[0];
    long milliseconds = all[1] == Nil.NIL ? Threads.FOR_EVER
        : Math.max(0, TextPrimitives.index(universe, all[1]));
    return threads(universe).waitUntil(
        () -> (Boolean) condition.target().call(condition), milliseconds);
  }
}
