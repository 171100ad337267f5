package newspeak.dispatch;

import newspeak.objects.SClass;
import newspeak.objects.SFarReference;
import newspeak.objects.SSymbol;
import newspeak.runtime.Universe;
import newspeak.structure.Layout;
import newspeak.structure.Member;
import newspeak.structure.Part;

/** What a message looks for, where from; `lexical` is the class of the code, null if public. */
public record Lookup(
    Universe universe, SSymbol selector, LookupKind kind, Part lexical,
    boolean classSide) {

  public static Lookup ofPublic(Universe universe, SSymbol selector) {
    return new Lookup(universe, selector, LookupKind.PUBLIC, null, false);
  }

  /** The member, or null. */
  public Member find(Object receiver) {
    Layout layout = universe.classes().layoutOf(receiver);
    return switch (kind) {
      case PUBLIC -> {
        Member member = layout.findPublic(selector);
        if (member == null && receiver instanceof SFarReference) {
          throw universe.sentSynchronously(selector);
        }
        yield member;
      }
      case SELF -> layout.findSelf(selector, classSide ? holder(receiver).metaLayout()
          : lexical.in(layout));
      case SUPER -> classSide ? inClassOfSuperclass(holder(receiver))
          : inSuperclass(lexical.in(layout));
    };
  }

  /** Of the class that receives a message of its class side: the class that the code is part of. */
  private Layout holder(Object receiver) {
    return lexical.in(((SClass) receiver).layout());
  }

  private Member inSuperclass(Layout holder) {
    Layout above = holder.superlayout();
    return above == null ? null : above.findInherited(selector);
  }

  /** Methods of the class side are not inherited; only super reaches those of the superclasses. */
  private Member inClassOfSuperclass(Layout holder) {
    for (Layout one = holder.superlayout(); one != null; one = one.superlayout()) {
      Member member = one.metaLayout().members().get(selector);
      if (member != null && member.access() != newspeak.syntax.Access.PRIVATE) {
        return member;
      }
    }
    return universe.classes().classLayout().findInherited(selector);
  }
}
