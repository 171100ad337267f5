package newspeak.structure;

import java.util.Set;

/** The definitions of the kernel that the implementation itself gives a meaning to. */
public final class Natives {
  private static final Set<String> ARRAYS = Set.of("Array", "ValueArray");
  private ClassDefinition kernel;

  public void setKernel(ClassDefinition definition) {
    kernel = definition;
  }

  boolean isArray(ClassDefinition definition) {
    return inKernel(definition) && ARRAYS.contains(definition.name());
  }

  boolean isValue(ClassDefinition definition) {
    return inKernel(definition) && definition.name().equals("Value");
  }

  boolean isTransfer(ClassDefinition definition) {
    return inKernel(definition) && definition.name().equals("TransferObject");
  }

  private boolean inKernel(ClassDefinition definition) {
    return kernel != null && definition.outer() == kernel;
  }
}
