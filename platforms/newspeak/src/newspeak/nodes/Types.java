package newspeak.nodes;

import com.oracle.truffle.api.dsl.TypeSystem;

/** The types that nodes pass on without boxes. */
@TypeSystem({long.class, double.class, boolean.class})
public abstract class Types {}
