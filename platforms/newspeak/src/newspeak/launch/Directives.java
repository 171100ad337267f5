package newspeak.launch;

import java.lang.reflect.Method;
import java.nio.file.Path;

/** Says to the JVM which of its compilers compiles what. */
final class Directives {
  private static final String PACKAGE = "com.sun.management.internal.";

  private Directives() {}

  /**
   * Adds the directives of `compilers.json`, as `jcmd PID Compiler.directives_add` does. With the
   * JVM's flag for such a file, each start would print the number of directives.
   */
  static void add(Path library) {
    try {
      Class.forName(PACKAGE + "PlatformMBeanProviderImpl"); // loads the native library
      Class<?> commands = Class.forName(PACKAGE + "DiagnosticCommandImpl");
      Method instance = commands.getDeclaredMethod("getDiagnosticCommandMBean");
      Method execute = commands.getDeclaredMethod("executeDiagnosticCommand", String.class);
      instance.setAccessible(true);
      execute.setAccessible(true);
      String file = '"' + library.resolveSibling("compilers.json").toString() + '"';
      execute.invoke(instance.invoke(null), "Compiler.directives_add " + file);
    } catch (ReflectiveOperationException absent) {
      throw new IllegalStateException("this JDK has no compiler directives", absent);
    }
  }
}
