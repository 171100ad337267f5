package newspeak.syntax;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** Locals and arguments in sight while parsing, so that an assignment to a constant is found. */
final class Names {
  private Deque<Map<String, Boolean>> scopes = new ArrayDeque<>();

  void open() {
    scopes.push(new HashMap<>());
  }

  void close() {
    scopes.pop();
  }

  /** False if this scope has the name already. */
  boolean declare(String name, boolean mutable) {
    return scopes.element().put(name, mutable) == null;
  }

  boolean isConstant(String name) {
    for (Map<String, Boolean> scope : scopes) {
      Boolean mutable = scope.get(name);
      if (mutable != null) {
        return !mutable;
      }
    }
    return false;
  }

  /** A class or a part of it: it sees the names around, and adds its own until it is left. */
  Deque<Map<String, Boolean>> enterClass() {
    Deque<Map<String, Boolean>> outer = scopes;
    scopes = new ArrayDeque<>(outer);
    return outer;
  }

  void leaveClass(Deque<Map<String, Boolean>> outer) {
    scopes = outer;
  }
}
