package newspeak.syntax;

import java.util.List;
import newspeak.lexer.SourceText;

/** A class or an object literal as written; `superclass` is null where none is named. */
public record ClassTree(
    SourceText source,
    int at,
    String name,
    Access access,
    Pattern factory,
    Inheritance superclass,
    List<Inheritance> mixins,
    List<SlotTree> slots,
    List<Expression> initialisers,
    List<ClassTree> classes,
    List<MethodTree> methods,
    List<MethodTree> classMethods,
    boolean literal) {}
