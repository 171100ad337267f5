package newspeak.actors;

import com.oracle.truffle.api.CompilerDirectives;
import com.oracle.truffle.api.CompilerDirectives.CompilationFinal;
import com.oracle.truffle.api.RootCallTarget;
import com.oracle.truffle.api.frame.VirtualFrame;
import com.oracle.truffle.api.nodes.ExplodeLoop;
import newspeak.dispatch.Lookup;
import newspeak.lexer.SourceText;
import newspeak.nodes.ExpressionNode;
import newspeak.objects.Nil;
import newspeak.objects.SFarReference;
import newspeak.objects.SPromise;
import newspeak.objects.SPromise.Outcome;
import newspeak.objects.SSymbol;
import newspeak.runtime.Switches;
import newspeak.runtime.Universe;

/** `receiver <-: message`: answers a promise, unless nobody uses the answer. */
public final class EventualSendNode extends ExpressionNode {
  private final Universe universe;
  private final SSymbol selector;
  private final SourceText source;
  private final int start;
  @Child private ExpressionNode receiver;
  @Children private final ExpressionNode[] arguments;
  @Children private final PassNode[] passes;
  @CompilationFinal private RootCallTarget site;

  public EventualSendNode(Universe universe, SSymbol selector, SourceText source, int start,
      ExpressionNode receiver, ExpressionNode[] arguments) {
    this.universe = universe;
    this.selector = selector;
    this.source = source;
    this.start = start;
    this.receiver = receiver;
    this.arguments = arguments;
    this.passes = new PassNode[Switches.ARGUMENT_WRAPPING ? arguments.length : 0];
    for (int index = 0; index < passes.length; index++) {
      passes[index] = PassNodeGen.create(universe);
    }
  }

  @Override
  public Object execute(VirtualFrame frame) {
    Actor current = universe.currentActor();
    SPromise result = new SPromise(current);
    send(frame, current, result);
    return result;
  }

  @Override
  public void executeVoid(VirtualFrame frame) {
    Actor current = universe.currentActor();
    send(frame, current, Switches.UNUSED_PROMISES ? null : new SPromise(current));
  }

  @ExplodeLoop
  private void send(VirtualFrame frame, Actor current, SPromise result) {
    Object target = receiver.execute(frame);
    Object[] all = new Object[arguments.length + 2];
    all[0] = result == null ? Nil.NIL : result;
    for (int index = 0; index < arguments.length; index++) {
      all[index + 2] = arguments[index].execute(frame);
    }
    if (site == null) {
      CompilerDirectives.transferToInterpreterAndInvalidate();
      site = Switches.CALLING_CONTEXT
          ? new ReceivedRoot(universe, Lookup.ofPublic(universe, selector), source, start)
              .getCallTarget()
          : universe.program().received(selector);
    }
    if (target instanceof SPromise promise) {
      Outcome known = Switches.ARGUMENT_WRAPPING ? promise.settled() : null;
      if (known == null || known.broken()) {
        EventualSend.Held held = new EventualSend.Held(universe, site, all);
        if (result == null) {
          universe.program().promises().await(promise, held);
        } else {
          universe.program().promises().react(promise, held);
        }
      } else {
        deliver(all, known.value(), promise.owner());
      }
    } else {
      deliver(all, target, current);
    }
  }

  /** Sends from the actor `from` to a receiver that is no promise. */
  @ExplodeLoop
  private void deliver(Object[] all, Object target, Actor from) {
    if (Switches.ARGUMENT_WRAPPING && target instanceof SFarReference far) {
      all[1] = far.value();
      for (int index = 0; index < passes.length; index++) {
        all[index + 2] = passes[index].execute(all[index + 2], from, far.actor());
      }
      far.actor().send(new EventualSend.Delivered(site, all));
    } else {
      EventualSend.deliver(universe, site, all, target, from);
    }
  }
}
