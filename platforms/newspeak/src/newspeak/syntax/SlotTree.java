package newspeak.syntax;

/** A slot or a local; `initial` is null where none is written. */
public record SlotTree(int at, Access access, String name, boolean mutable, Expression initial) {}
