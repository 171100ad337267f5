package newspeak.objects;

import com.oracle.truffle.api.interop.TruffleObject;
import newspeak.actors.Actor;

/** A reference to an object of another actor. */
public record SFarReference(Actor actor, Object value) implements TruffleObject {}
