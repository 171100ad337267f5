package newspeak.objects;

import com.oracle.truffle.api.interop.TruffleObject;
import newspeak.structure.ClassDefinition;

/** A class's definition, as the mirrors of the library hold it. */
public record SDefinition(ClassDefinition definition) implements TruffleObject {}
