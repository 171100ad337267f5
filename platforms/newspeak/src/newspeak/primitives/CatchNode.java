package newspeak.primitives;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.frame.VirtualFrame;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.SBlock;
import newspeak.objects.SClass;
import newspeak.operators.BlockCallNode;
import newspeak.operators.BlockCallNodeGen;
import newspeak.runtime.SException;
import newspeak.runtime.Universe;

/** `on:do:`: a block, the class of what is caught, and the handler. */
final class CatchNode extends ExpressionNode {
  private final Universe universe;
  @Child private ExpressionNode body;
  @Child private ExpressionNode type;
  @Child private ExpressionNode handler;
  @Child private BlockCallNode callBody = BlockCallNodeGen.create();
  @Child private BlockCallNode callHandler = BlockCallNodeGen.create();

  CatchNode(Universe universe, ExpressionNode[] arguments) {
    this.universe = universe;
    body = arguments[0];
    type = arguments[1];
    handler = arguments[2];
  }

  @Override
  public Object execute(VirtualFrame frame) {
    SBlock block = (SBlock) body.execute(frame);
    Object caught = type.execute(frame);
    Object then = handler.execute(frame);
    if (block.arity() != 0) {
      throw universe.signals().argumentError(block);
    }
    SException signalled;
    try {
      return callBody.execute(block, new Object[] {block});
    } catch (SException exception) {
      signalled = exception;
    } catch (StackOverflowError | OutOfMemoryError exhausted) {
      CompilerDirectives.transferToInterpreter();
      signalled = universe.signals().exhausted(exhausted);
    }
    if (!(caught instanceof SClass cls) || !catches(cls, signalled.object())) {
      throw signalled;
    }
    if (!(then instanceof SBlock code)) {
      return then;
    }
    if (code.arity() > 1) {
      throw universe.signals().argumentError(code);
    }
    return code.arity() == 0 ? callHandler.execute(code, new Object[] {code})
        : callHandler.execute(code, new Object[] {code, signalled.object()});
  }

  @CompilerDirectives.TruffleBoundary
  private boolean catches(SClass cls, Object signalled) {
    return universe.classes().layoutOf(signalled).inheritsFrom(cls.layout());
  }
}
