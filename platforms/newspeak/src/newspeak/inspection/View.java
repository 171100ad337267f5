package newspeak.inspection;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.TruffleLanguage;
import com.oracle.truffle.api.interop.InteropLibrary;
import com.oracle.truffle.api.interop.InvalidArrayIndexException;
import com.oracle.truffle.api.interop.TruffleObject;
import com.oracle.truffle.api.interop.UnknownIdentifierException;
import com.oracle.truffle.api.interop.UnsupportedMessageException;
import com.oracle.truffle.api.library.ExportLibrary;
import com.oracle.truffle.api.library.ExportMessage;
import com.oracle.truffle.api.object.DynamicObjectLibrary;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import newspeak.objects.Nil;
import newspeak.objects.SArray;
import newspeak.objects.SInstance;
import newspeak.runtime.Display;
import newspeak.runtime.NewspeakLanguage;
import newspeak.structure.SlotDefinition;

/** A value as tools of Truffle see it: its text, its slots, its elements. Runs no program's code. */
@ExportLibrary(InteropLibrary.class)
public final class View implements TruffleObject {
  private final Object value;

  private View(Object value) {
    this.value = value;
  }

  /** Numbers and booleans are themselves. */
  public static Object of(Object value) {
    return value instanceof Long || value instanceof Double || value instanceof Boolean ? value
        : new View(value);
  }

  /** For the text of a number, which by itself would be one of no language. */
  public static View ofAny(Object value) {
    return new View(value);
  }

  private Map<String, Object> slots() {
    Map<String, Object> slots = new LinkedHashMap<>();
    if (value instanceof SInstance object) {
      DynamicObjectLibrary properties = DynamicObjectLibrary.getUncached();
      for (Object key : properties.getKeyArray(object)) {
        if (key instanceof SlotDefinition slot) {
          slots.put(slot.name().text(), properties.getOrDefault(object, key, Nil.NIL));
        }
      }
    }
    return slots;
  }

  private int size() {
    return value instanceof SArray array ? array.size() : -1;
  }

  @ExportMessage
  boolean hasMembers() {
    return value instanceof SInstance;
  }

  @ExportMessage
  @TruffleBoundary
  Object getMembers(@SuppressWarnings("unused") boolean internal)
      throws UnsupportedMessageException {
    if (!hasMembers()) {
      throw UnsupportedMessageException.create();
    }
    return new MemberNames(List.copyOf(slots().keySet()));
  }

  @ExportMessage
  @TruffleBoundary
  boolean isMemberReadable(String member) {
    return slots().containsKey(member);
  }

  @ExportMessage
  @TruffleBoundary
  Object readMember(String member) throws UnknownIdentifierException {
    Object found = slots().get(member);
    if (found == null) {
      throw UnknownIdentifierException.create(member);
    }
    return of(found);
  }

  @ExportMessage
  boolean hasArrayElements() {
    return value instanceof SArray;
  }

  @ExportMessage
  long getArraySize() throws UnsupportedMessageException {
    if (!hasArrayElements()) {
      throw UnsupportedMessageException.create();
    }
    return size();
  }

  @ExportMessage
  boolean isArrayElementReadable(long index) {
    return index >= 0 && index < size();
  }

  @ExportMessage
  @TruffleBoundary
  Object readArrayElement(long index) throws InvalidArrayIndexException {
    if (!isArrayElementReadable(index)) {
      throw InvalidArrayIndexException.create(index);
    }
    return of(((SArray) value).element((int) index));
  }

  @ExportMessage
  boolean isNull() {
    return value == Nil.NIL;
  }

  @ExportMessage
  boolean hasLanguage() {
    return true;
  }

  @ExportMessage
  Class<? extends TruffleLanguage<?>> getLanguage() {
    return NewspeakLanguage.class;
  }

  @ExportMessage
  @TruffleBoundary
  Object toDisplayString(@SuppressWarnings("unused") boolean sideEffects) {
    return Display.without(value);
  }
}
