package newspeak.compiler;

import newspeak.nodes.LocalType;

/** A local in a slot of the frame, or an argument at an index of the frame's arguments. */
record Variable(boolean argument, boolean mutable, int index, LocalType type) {
  static Variable argument(int index) {
    return new Variable(true, false, index, null);
  }

  static Variable local(int slot, boolean mutable) {
    return new Variable(false, mutable, slot, new LocalType());
  }
}
