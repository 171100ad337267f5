package newspeak.inspection;

import java.util.List;
import newspeak.compiler.Scope;

/**
 * What a frame's descriptor says of its arguments and its code.
 *
 * @param parameters names of the arguments after the first
 * @param block whether the first argument is the block that runs, rather than the receiver
 * @param scope what the names of the code mean
 */
public record FrameInfo(List<String> parameters, boolean block, Scope scope) {}
