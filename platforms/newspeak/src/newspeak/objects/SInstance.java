package newspeak.objects;

/** An instance of any class but the arrays'. Its first slots are fields of the Java object. */
public final class SInstance extends SObject {
  @DynamicField private long first;
  @DynamicField private long second;
  @DynamicField private long third;
  @DynamicField private long fourth;
  @DynamicField private Object fifth;
  @DynamicField private Object sixth;
  @DynamicField private Object seventh;
  @DynamicField private Object eighth;

  public SInstance(SClass cls) {
    super(cls);
  }
}
