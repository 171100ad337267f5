package newspeak.compiler;

/** A local in a slot of the frame, or an argument at an index of the frame's arguments. */
record Variable(boolean argument, int index) {}
