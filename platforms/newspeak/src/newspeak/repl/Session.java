package newspeak.repl;

import com.oracle.truffle.api.nodes.ControlFlowException;
import newspeak.compiler.InputCompiler;
import newspeak.lexer.SourceText;
import newspeak.objects.SBlock;
import newspeak.objects.SClass;
import newspeak.runtime.Universe;
import newspeak.structure.ClassDefinition;
import newspeak.syntax.Input;
import newspeak.syntax.Parser;

/** What inputs have in common: self, the variables, and a count that names the inputs. */
final class Session {
  /** The file of the library with the class of self. */
  private static final String MODULE = "Session";

  private final Universe universe;
  private final InputCompiler compiler;
  private int count;

  /** Within a turn. */
  Session(Universe universe) {
    this.universe = universe;
    Object self = universe.libraryModule(MODULE, universe.program().platform());
    compiler = new InputCompiler(
        universe.load(universe.options().library().resolve(MODULE + ".ns")), self);
  }

  /** The value of an input; null where it only declares. Throws SyntaxErrors. */
  Object evaluate(String text) {
    SourceText source = next(text);
    Input input = Parser.input(source);
    if (input.module() != null) {
      SBlock declaration = compiler.declaration(source, input.module());
      return declaration.target().call(declaration);
    }
    SBlock code = compiler.code(source, input.code());
    Object value = value(code);
    return input.code().statements().isEmpty() ? null : value;
  }

  private Object value(SBlock code) {
    try {
      return code.target().call(code);
    } catch (ControlFlowException outwards) {
      throw universe.signals().escaped(code);
    }
  }

  /** The class object of a file, in a variable of the class's name. */
  SClass load(ClassDefinition definition) {
    SClass made = universe.classFactory().module(definition);
    SBlock code = compiler.declaration(next(definition.name()), definition.name(), made);
    code.target().call(code);
    return made;
  }

  private SourceText next(String text) {
    count++;
    return new SourceText("input " + count, text);
  }
}
