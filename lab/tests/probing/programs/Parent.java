import java.io.IOException;
import java.util.List;

/** Starts the program of its arguments as its child. */
final class Parent {
  public static void main(String[] arguments) throws IOException, InterruptedException {
    System.exit(new ProcessBuilder(List.of(arguments)).inheritIO().start().waitFor());
  }
}
