package newspeak.objects;

import com.oracle.truffle.api.frame.MaterializedFrame;

/**
 * What a definition is closed over in one class that it is part of, as its own definition or as
 * that of a mixin: the object around it, and for an object literal the frame around it.
 */
public record Application(Object enclosing, MaterializedFrame frame) {}
