package newspeak.syntax;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reports a class whose text gives two members one selector. */
final class Members {
  private final Set<String> seen = new HashSet<>();
  private final TokenStream mistakes;

  Members(TokenStream mistakes) {
    this.mistakes = mistakes;
  }

  void check(List<SlotTree> slots, List<ClassTree> classes, List<MethodTree> methods) {
    for (SlotTree slot : slots) {
      add(slot.name(), slot.at());
      if (slot.mutable()) {
        add(slot.name() + ":", slot.at());
      }
    }
    classes.forEach(one -> add(one.name(), one.at()));
    methods.forEach(one -> add(one.pattern().selector(), one.pattern().at()));
  }

  private void add(String selector, int at) {
    if (!seen.add(selector)) {
      mistakes.report(at, "The class has a member '" + selector + "' already");
    }
  }
}
