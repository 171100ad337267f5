package newspeak.compiler;

import newspeak.nodes.LocalType;

/** A local in a slot of the frame, or an argument at an index of the frame's arguments. */
record Variable(boolean argument, int index, LocalType type) {
  static Variable argument(int index) {
    return new Variable(true, index, null);
  }

  static Variable local(int slot) {
    return new Variable(false, slot, new LocalType());
  }
}
