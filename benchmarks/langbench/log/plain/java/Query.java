package langbench.plain;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** A query, cut at its asterisks and at tokens that are not whole. */
final class Query {
    static final List<String> HADOOP = Arrays.asList(
            "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
            " container_1445144423722_0001_01_000007 ",
            "[fetcher#7] ",
            " attempt_*_0001_m_000003_1 is : ",
            "WARN * Slow ReadProcessor * took *77 ms; ack",
            " ip=/10.0.3.7 cmd=open ",
            "ERROR * Giving up * node-07.cluster.example:8020;");
    static final List<String> SPARK = Arrays.asList(
            " spark.ContextCleaner: Started accumulator for stage ",
            " rdd_42_7 ",
            " boot = 17, ",
            " broadcast_1*7_piece0 stored ",
            "Finished task * in stage 12.0 (TID *). 2077 bytes",
            " ip=/10.0.3.7 cmd=remove ",
            "WARN util.Utils: Lost * retry 3 of 4");

    final List<String> pieces = new ArrayList<>();
    final List<String> fragments = new ArrayList<>();
    final List<Long> codes = new ArrayList<>();
    final List<String> texts = new ArrayList<>();
    final List<Part> parts = new ArrayList<>();

    Query(String text) {
        for (String piece : text.split("\\*")) {
            if (!piece.isEmpty()) {
                pieces.add(piece);
                cut(piece);
            }
        }
    }

    private void cut(String piece) {
        StringBuilder fragment = new StringBuilder();
        int at = 0;
        while (at < piece.length()) {
            int begin = at;
            at = Tokens.tokenEnd(piece, begin);
            if (at == begin) {
                fragment.append(piece.charAt(at));
                at++;
            } else if (begin > 0 && at < piece.length()) {
                fragment.append(whole(piece, begin, at));
            } else {
                end(fragment);
                fragment = new StringBuilder();
                part(piece, begin, at);
            }
        }
        end(fragment);
    }

    private void end(StringBuilder fragment) {
        if (fragment.length() > 0) {
            fragments.add(fragment.toString());
        }
    }

    private String whole(String piece, int begin, int end) {
        String token = piece.substring(begin, end);
        if (!Tokens.isVariable(piece, begin, end)) {
            return token;
        }
        Long code = Tokens.numberCode(token);
        if (code != null) {
            codes.add(code);
            return String.valueOf(Tokens.NUMBER_PLACEHOLDER);
        }
        texts.add(token);
        return String.valueOf(Tokens.VARIABLE_PLACEHOLDER);
    }

    private void part(String piece, int begin, int end) {
        String token = piece.substring(begin, end);
        if (!token.matches("[0-9.-]+") && Tokens.isVariable(piece, begin, end)) {
            parts.add(new Part(token, begin > 0, end < piece.length()));
        }
    }

    Pattern expression() {
        StringBuilder expression = new StringBuilder();
        for (String piece : pieces) {
            if (expression.length() > 0) {
                expression.append("[^\\n]*");
            }
            for (char c : piece.toCharArray()) {
                if ("\\^$.|?+()[]{}".indexOf(c) >= 0) {
                    expression.append('\\');
                }
                expression.append(c);
            }
        }
        return Pattern.compile(expression.toString());
    }
}
