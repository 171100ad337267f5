package newspeak.syntax;

import java.util.List;

/** Locals, then expressions, of which the last may be a return. */
public record Body(List<SlotTree> locals, List<Expression> statements) {}
