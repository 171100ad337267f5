package newspeak.operators;

import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.dsl.Cached;
import com.oracle.truffle.api.dsl.ReportPolymorphism;
import com.oracle.truffle.api.dsl.Specialization;
import com.oracle.truffle.api.nodes.DirectCallNode;
import com.oracle.truffle.api.nodes.IndirectCallNode;
import com.oracle.truffle.api.nodes.Node;
import newspeak.objects.SBlock;

/**
 * Calls a block's code; the block itself is the first of the arguments. A method that is given
 * several blocks, as `do:` is, is compiled for each of its callers.
 */
@ReportPolymorphism
public abstract class BlockCallNode extends Node {
  public abstract Object execute(SBlock block, Object[] arguments);

  @Specialization(guards = "block.target() == target", limit = "6")
  Object directly(SBlock block, Object[] arguments,
      @Cached("block.target()") RootCallTarget target,
      @Cached("create(target)") DirectCallNode call) {
    return call.call(arguments);
  }

  @Specialization(replaces = "directly")
  Object indirectly(SBlock block, Object[] arguments,
      @Cached("create()") IndirectCallNode call) {
    return call.call(block.target(), arguments);
  }
}
