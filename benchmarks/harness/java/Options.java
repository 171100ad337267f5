package runfair;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;

/** The command line, NAME=VALUE each, which the lab has checked. */
public final class Options {
    final List<Recorder> recorders = new ArrayList<>();
    private final Map<String, String> values = new HashMap<>();
    private final String benchmark;

    Options(String benchmark, String[] arguments) {
        this.benchmark = benchmark;
        for (var argument : arguments) {
            var option = argument.split("=", 2);
            values.put(option[0], option[1]);
        }
    }

    public boolean has(String name) { return values.containsKey(name); }
    /** An integer; one from 2⁶³ on, as a seed may be, is negative. */
    public long number(String name) { return Long.parseUnsignedLong(text(name)); }

    public String text(String name) {
        if (!has(name)) {
            throw new UserMistake("option " + name + "=VALUE is missing; ./runfair exec "
                    + benchmark + " --print shows a whole command");
        }
        return values.get(name);
    }

    /** The content of the input, a character a byte. */
    public String readInput() {
        try {
            return Files.readString(Path.of(text("input")), StandardCharsets.ISO_8859_1);
        } catch (IOException | InvalidPathException fault) {
            throw UserMistake.unreadableInput(text("input"), fault);
        }
    }

    public Recorder recorder(String distribution) { return Recorder.of(distribution, this); }
}
