package newspeak.syntax;

import java.util.List;

/**
 * Locals, then expressions, of which the last may be a return.
 *
 * @param ends offset behind each of the expressions
 * @param end offset of the bracket that closes the code, or of the end of the text
 */
public record Body(
    List<SlotTree> locals, List<Expression> statements, List<Integer> ends, int end) {}
