package runfair;

import java.io.*;
import java.nio.charset.StandardCharsets;
import java.util.*;

/** Answers the questions of benchmarks/harness/vectors.txt. A character is a byte. */
public final class Vectors {
    public static void main(String[] arguments) throws IOException {
        var input = new String(System.in.readAllBytes(), StandardCharsets.ISO_8859_1);
        var out = new PrintStream(System.out, true, StandardCharsets.ISO_8859_1);
        for (var line : input.split("\n")) {
            var question = line.split(" =")[0];
            out.print(question + " =");
            for (var value : answer(question)) {
                out.print(" " + value);
            }
            out.println();
        }
    }

    private static List<Object> answer(String question) {
        if (question.startsWith("fnv1a")) {
            var hash = new Fnv1a();
            hash.add(question.replaceFirst("fnv1a ?", ""));
            return List.of(HexFormat.of().toHexDigits(hash.value()));
        }
        var words = question.split(" ");
        var random = new SplitMix64(Long.parseUnsignedLong(words[1]));
        var values = new ArrayList<Object>();
        if (words[0].equals("bounded")) {
            for (var bound : List.of(words).subList(2, words.length)) {
                values.add(random.bounded(Long.parseLong(bound)));
            }
            return values;
        }
        boolean shuffle = words[0].equals("shuffle");
        for (int i = 0; i < Integer.parseInt(words[2]); i++) {
            values.add(shuffle ? (Object) i : HexFormat.of().toHexDigits(random.next()));
        }
        if (shuffle) {
            random.shuffle(values);
        }
        return values;
    }
}
