package runfair;

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.stream.*;

/** Answers the questions of benchmarks/harness/vectors.txt. A character is a byte. */
public final class Vectors {
    public static void main(String[] arguments) throws IOException {
        var input = new String(System.in.readAllBytes(), StandardCharsets.ISO_8859_1);
        var out = new PrintStream(System.out, true, StandardCharsets.ISO_8859_1);
        for (var line : input.split("\n")) {
            var question = line.split(" =")[0];
            var words = Stream.concat(Stream.of(question, "="), answer(question));
            out.println(words.map(String::valueOf).collect(Collectors.joining(" ")));
        }
    }

    private static Stream<?> answer(String question) {
        if (question.startsWith("fnv1a")) {
            var hash = new Fnv1a();
            hash.add(question.replaceFirst("fnv1a ?", ""));
            return Stream.of(HexFormat.of().toHexDigits(hash.value()));
        }
        var words = question.split(" ");
        var numbers = Stream.of(words).skip(1).map(Long::parseUnsignedLong).toList();
        var random = new SplitMix64(numbers.get(0));
        var drawn = Stream.generate(random::next).map(HexFormat.of()::toHexDigits);
        return switch (words[0]) {
            case "cell" -> numbers.stream().map(Recorder::cell);
            case "bounded" -> numbers.stream().skip(1).map(random::bounded);
            case "splitmix64" -> drawn.limit(numbers.get(1));
            default -> random.shuffle(Stream.iterate(0, place -> place + 1).limit(numbers.get(1))
                    .collect(Collectors.toList())).stream();
        };
    }
}
