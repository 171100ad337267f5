package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.object.DynamicObjectLibrary;
import java.util.IdentityHashMap;
import java.util.Map;
import newspeak.objects.SArray;
import newspeak.objects.SFarReference;
import newspeak.objects.SInstance;
import newspeak.objects.SObject;
import newspeak.objects.SPromise;
import newspeak.objects.Values;
import newspeak.runtime.Universe;

/** What becomes of an object that one actor passes to another. */
final class Transfer {
  private Transfer() {}

  static Object pass(Universe universe, Object object, Actor from, Actor to) {
    if (from == to || object instanceof Long || object instanceof Boolean
        || object instanceof String) {
      return object;
    }
    return passOther(universe, object, from, to);
  }

  @TruffleBoundary
  private static Object passOther(Universe universe, Object object, Actor from, Actor to) {
    return isCopied(object) ? new Copying(universe, from, to).pass((SObject) object)
        : uncopied(universe, object, from, to);
  }

  /** Whether an object is passed as a copy. */
  private static boolean isCopied(Object object) {
    return object instanceof SObject one && one.layout().isTransfer();
  }

  private static Object uncopied(Universe universe, Object object, Actor from, Actor to) {
    if (object instanceof SFarReference reference) {
      return reference.actor() == to ? reference.value() : reference;
    }
    if (object instanceof SPromise promise) {
      return promise.owner() == to ? promise
          : universe.program().promises().copyFor(promise, to);
    }
    return Values.isValue(object) ? object : new SFarReference(from, object);
  }

  /** Copies each transfer object within one argument once, so that cycles stay cycles. */
  private static final class Copying {
    private final Universe universe;
    private final Actor from;
    private final Actor to;
    private final Map<Object, SObject> copies = new IdentityHashMap<>();
    private final java.util.ArrayDeque<Runnable> open = new java.util.ArrayDeque<>();

    Copying(Universe universe, Actor from, Actor to) {
      this.universe = universe;
      this.from = from;
      this.to = to;
    }

    Object pass(SObject object) {
      Object passed = copy(object);
      Runnable next;
      while ((next = open.poll()) != null) {
        next.run();
      }
      return passed;
    }

    private Object one(Object object) {
      return isCopied(object) ? copy((SObject) object) : uncopied(universe, object, from, to);
    }

    private SObject copy(SObject original) {
      SObject known = copies.get(original);
      if (known != null) {
        return known;
      }
      SObject copy = original instanceof SArray array
          ? new SArray(array.cls(), array.storage().clone()) : SInstance.of(original.cls());
      copies.put(original, copy);
      open.add(() -> fill(original, copy));
      return copy;
    }

    private void fill(SObject original, SObject copy) {
      DynamicObjectLibrary properties = DynamicObjectLibrary.getUncached();
      for (Object key : properties.getKeyArray(original)) {
        properties.put(copy, key, one(properties.getOrDefault(original, key, null)));
      }
      if (copy instanceof SArray array) {
        Object[] elements = array.storage();
        for (int index = 0; index < elements.length; index++) {
          elements[index] = one(elements[index]);
        }
      }
    }
  }
}
