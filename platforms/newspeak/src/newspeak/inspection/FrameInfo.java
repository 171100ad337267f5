package newspeak.inspection;

import java.util.List;

/**
 * What a frame's descriptor says of its arguments.
 *
 * @param parameters names of the arguments after the first
 * @param block whether the first argument is the block that runs, rather than the receiver
 */
public record FrameInfo(List<String> parameters, boolean block) {}
