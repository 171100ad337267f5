package newspeak.syntax;

import java.util.List;

/**
 * A superclass or mixin: the expression of the class, and the message by which its initialiser is
 * asked for; `selector` is null where none is written.
 */
public record Inheritance(
    int at, Expression reference, String selector, List<Expression> arguments) {}
