package newspeak.objects;

/** An instance of Array, ValueArray or TransferArray, or of a subclass. */
public final class SArray extends SObject {
  private static final Object[] EMPTY = {};

  private Object[] storage = EMPTY;

  public SArray(SClass cls) {
    super(cls);
  }

  public SArray(SClass cls, Object[] storage) {
    super(cls);
    this.storage = storage;
  }

  public Object[] storage() {
    return storage;
  }

  public void setStorage(Object[] elements) {
    storage = elements;
  }
}
