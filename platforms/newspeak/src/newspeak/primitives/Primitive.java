package newspeak.primitives;

import newspeak.runtime.Universe;

/** A function of the implementation. */
interface Primitive {
  Object apply(Universe universe, Object[] arguments);
}
