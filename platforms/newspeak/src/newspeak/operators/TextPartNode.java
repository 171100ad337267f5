package newspeak.operators;

import com.oracle.truffle.api.CompilerDirectives.TruffleBoundary;
import com.oracle.truffle.api.dsl.Fallback;
import com.oracle.truffle.api.dsl.ImportStatic;
import com.oracle.truffle.api.dsl.NodeChild;
import com.oracle.truffle.api.dsl.Specialization;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.Letters;

/** The part of a text from one index to another; both are UTF-16 units, count from 1 and belong. */
@ImportStatic(Letters.class)
@NodeChild(value = "text", type = ExpressionNode.class)
@NodeChild(value = "start", type = ExpressionNode.class)
@NodeChild(value = "end", type = ExpressionNode.class)
public abstract class TextPartNode extends ExpressionNode {
  @Child private Otherwise otherwise;

  public final TextPartNode orElse(Otherwise other) {
    otherwise = other;
    return this;
  }

  @Specialization(guards = {"start == end", "start > 0", "start <= text.length()",
      "has(text.charAt(before(start)))"})
  String ofLatin(String text, long start, long end) {
    return Letters.of(text.charAt(before(start)));
  }

  @Specialization(guards = "isPart(text, start, end)", replaces = "ofLatin")
  String ofSeveral(String text, long start, long end) {
    return start == end && Letters.has(text.charAt(before(start)))
        ? Letters.of(text.charAt(before(start))) : cut(text, before(start), (int) end);
  }

  /** Whether there is such a part; an empty one ends just before its start. */
  static boolean isPart(String text, long start, long end) {
    return start > 0 && start - 1 <= end && end <= text.length();
  }

  static int before(long index) {
    return (int) index - 1;
  }

  @TruffleBoundary
  private static String cut(String text, int start, int end) {
    return text.substring(start, end);
  }

  @Fallback
  Object others(Object text, Object start, Object end) {
    return otherwise.execute(text, start, end);
  }
}
