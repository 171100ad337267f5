package newspeak.syntax;

/** What a person types: the class of a module, or code. Exactly one of the two is not null. */
public record Input(ClassTree module, Body code) {}
