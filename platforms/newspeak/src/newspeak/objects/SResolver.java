package newspeak.objects;

import com.oracle.truffle.api.interop.TruffleObject;

/** The right to resolve a promise. */
public record SResolver(SPromise promise) implements TruffleObject {}
