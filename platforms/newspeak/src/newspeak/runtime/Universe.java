package newspeak.runtime;

import com.oracle.truffle.api.Assumption;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.TruffleLanguage.Env;
import com.oracle.truffle.api.source.Source;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import newspeak.actors.Actor;
import newspeak.actors.Makings;
import newspeak.actors.Program;
import newspeak.actors.Worker;
import newspeak.lexer.SourceText;
import newspeak.lexer.SyntaxMistake;
import newspeak.objects.SSymbol;
import newspeak.repl.Repl;
import newspeak.structure.ClassDefinition;
import newspeak.structure.Natives;
import newspeak.syntax.Parser;
import newspeak.syntax.SyntaxErrors;

/** One running program: its classes, its files, its actors, its end. */
public final class Universe {
  /** Recursion in the language is recursion in the interpreter, with frames many times larger. */
  private static final long STACK_BYTES = 32L << 20;

  private final NewspeakLanguage language;
  private final Env env;
  private final Options options;
  private final Natives natives = new Natives();
  private final ClassFactory classFactory = new ClassFactory(this);
  private final Signals signals;
  private final Console console = new Console();
  private final Map<SourceText, Source> sources = new HashMap<>();
  private final Map<Path, ClassDefinition> modules = new HashMap<>();
  private final Map<String, Object> libraryModules = new HashMap<>();
  private final Map<Path, Object> singletons = new ConcurrentHashMap<>();
  private final Makings makings = new Makings(this);
  private final Assumption identityKept = Assumption.create("no class redefines `==` or `~=`");
  @CompilationFinal private Classes classes;
  @CompilationFinal private Program program;

  Universe(NewspeakLanguage language, Env env, Options options) {
    this.language = language;
    this.env = env;
    this.options = options;
    this.signals = new Signals(this);
  }

  /** Runs the program; answers its exit status. */
  int run() {
    try {
      classes = new Classes(this, load(options.kernel()));
      classes.complete();
      program = new Program(this);
      return options.isInteractive() ? new Repl(this).run() : program.run();
    } catch (ProgramExit exit) {
      return exit.status();
    } catch (SyntaxErrors | ModuleMissing mistake) {
      console.error(mistake.getMessage());
      return 1;
    } finally {
      console.flush();
    }
  }

  public NewspeakLanguage language() {
    return language;
  }

  public Env env() {
    return env;
  }

  public Options options() {
    return options;
  }

  public Natives natives() {
    return natives;
  }

  public Classes classes() {
    return classes;
  }

  public ClassFactory classFactory() {
    return classFactory;
  }

  /** Holds as long as `==` and `~=` are the kernel's for all objects. */
  public Assumption identityKept() {
    return identityKept;
  }

  public Signals signals() {
    return signals;
  }

  public Console console() {
    return console;
  }

  public Program program() {
    return program;
  }

  public Worker worker() {
    return language.worker.get();
  }

  public Actor currentActor() {
    return language.worker.get().actor();
  }

  /** A thread in which the program can run, and for whose end the process does not wait. */
  public Thread newThread(Runnable body) {
    Thread made = env.newTruffleThreadBuilder(body).context(env.getContext())
        .stackSize(STACK_BYTES).build();
    made.setDaemon(true);
    return made;
  }

  /** Whether a file may use primitives: one of the library's, or the platform in its place. */
  public boolean knowsPrimitives(SourceText source) {
    return isLibrary(source) || Path.of(source.path()).equals(options.platform());
  }

  /** Whether a file is one of the library's. */
  public boolean isLibrary(SourceText source) {
    Path path = Path.of(source.path());
    return path.startsWith(options.library()) || path.equals(options.kernel());
  }

  /** What the tools of Truffle show of a file. */
  public synchronized Source source(SourceText text) {
    return sources.computeIfAbsent(text, this::sourceOf);
  }

  private Source sourceOf(SourceText text) {
    if (!Path.of(text.path()).isAbsolute()) {
      return Source.newBuilder(NewspeakLanguage.ID, text.text(), text.path()).build(); // typed
    }
    // A debugger finds a file by its path, and does not step into the library.
    return Source.newBuilder(NewspeakLanguage.ID, env.getPublicTruffleFile(text.path()))
        .content(text.text()).name(text.path())
        .internal(options.debugged() && isLibrary(text)).build();
  }

  /** The definition of a file's class; a file is read once. */
  public ClassDefinition load(Path file) {
    Path path = file.toAbsolutePath().normalize();
    synchronized (modules) {
      ClassDefinition known = modules.get(path);
      if (known != null) {
        return known;
      }
    }
    ClassDefinition made = read(file);
    synchronized (modules) {
      modules.putIfAbsent(path, made);
      return modules.get(path);
    }
  }

  /** A new definition of a file's class, whatever was read before. */
  public ClassDefinition read(Path file) {
    Path path = file.toAbsolutePath().normalize();
    String text;
    try {
      text = Files.readString(path, StandardCharsets.UTF_8);
    } catch (CharacterCodingException notText) {
      throw new ModuleMissing(file + " is not text in UTF-8");
    } catch (IOException missing) {
      throw new ModuleMissing("There is no readable file " + file);
    }
    return new ClassDefinition(
        this, Parser.parse(new SourceText(path.toString(), text)), null, null);
  }

  /** A module of the library, one for the program; its factory takes the platform. */
  public Object libraryModule(String name, Object platform) {
    synchronized (libraryModules) {
      Object known = libraryModules.get(name);
      if (known == null) {
        ClassDefinition definition = load(options.library().resolve(name + ".ns"));
        known = Sending.send(
            this, classFactory.module(definition), definition.factory().text(), platform);
        libraryModules.put(name, known);
      }
      return known;
    }
  }

  /** The modules that all actors share because a program wanted them once, by their files. */
  public Map<Path, Object> singletons() {
    return singletons;
  }

  /** What is being made that is made once. */
  public Makings makings() {
    return makings;
  }

  /** A file that a program asked for cannot be read. */
  public static final class ModuleMissing extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ModuleMissing(String message) {
      super(message, null, false, false);
    }
  }

  /** The mistake for which a program ends, with the place. */
  public ProgramExit fatal(SyntaxMistake mistake) {
    console.error(mistake.report());
    return ProgramExit.failed();
  }

  public ProgramExit fatal(String message) {
    console.error(message);
    return ProgramExit.failed();
  }

  /** A far reference understands what every value does; other messages must be eventual. */
  public ProgramExit sentSynchronously(SSymbol selector) {
    return fatal("A far reference takes eventual messages only (<-:), but #" + selector.text()
        + " was sent to it synchronously");
  }
}
