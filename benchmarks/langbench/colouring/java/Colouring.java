package langbench;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.UserMistake;

/** The benchmark langbench/colouring (contract.md beside this folder). */
public final class Colouring implements Harness.Program {
    private static final long GREATEST_ID = (1L << 32) - 1;

    private final Counts counts = new Counts();
    private Graph graph;
    private boolean recursive;
    private Map<Integer, Integer> colours;
    private int end;

    /** Reads an edge a line. */
    @Override
    public void load(Options options) {
        recursive = options.text("form").equals("recursive");
        var neighbours = new HashMap<Integer, Set<Integer>>();
        var text = options.readInput();
        int index = 0;
        // A last line that lacks its line feed is a line nevertheless, and an empty file is one.
        for (int start = 0; index == 0 || start < text.length(); index++) {
            int feed = text.indexOf('\n', start);
            int stop = feed < 0 ? text.length() : feed;
            if (!text.startsWith("#", start)) {
                readEdge(text.substring(start, stop), index, neighbours);
            }
            start = stop + 1;
        }
        if (neighbours.isEmpty()) {
            throw new UserMistake("the input has no edge; make it with generate.py");
        }
        graph = Graph.of(neighbours);
    }

    private static void readEdge(String line, int index, Map<Integer, Set<Integer>> neighbours) {
        var text = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
        int tab = text.indexOf('\t');
        long u = tab < 0 ? -1 : id(text.substring(0, tab));
        long v = id(text.substring(tab + 1));
        if (u < 0 || v < 0) {
            throw badLine(
                    index, "an edge is two ids from 0 to " + GREATEST_ID + " and a tab between");
        }
        if (u == v) {
            throw badLine(index, "vertex " + u + " is joined to itself, and so has no colour");
        }
        neighbours.computeIfAbsent((int) u, vertex -> Graph.emptySet()).add((int) v);
        neighbours.computeIfAbsent((int) v, vertex -> Graph.emptySet()).add((int) u);
    }

    /** Reads 1 to 10 digits; -1 for anything else. */
    private static long id(String digits) {
        if (digits.isEmpty() || digits.length() > 10) {
            return -1;
        }
        long id = 0;
        for (int i = 0; i < digits.length(); i++) {
            int digit = digits.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            id = 10 * id + digit;
        }
        return id <= GREATEST_ID ? id : -1;
    }

    private static UserMistake badLine(int index, String what) {
        return new UserMistake("line " + (index + 1) + " of the input: " + what
                + "; take a SNAP edge list");
    }

    /** Has nothing to copy: no iteration changes the graph. */
    @Override
    public void prepare() {}

    /** Finds the least k that is enough, each time with an attempt made anew. */
    @Override
    public void run() {
        int k = 2;
        while (!succeeds(new Attempt(counts), k)) {
            k++;
        }
    }

    private boolean succeeds(Attempt attempt, int k) {
        counts.attempts++; // tick
        end = recursive ? attempt.recursive(graph, k, 0) : attempt.iterative(graph, k);
        colours = attempt.colours;
        return end != Attempt.FAILED;
    }

    /** Hashes the colours, a line each, and their number. */
    @Override
    public long digest() {
        verify();
        var hash = new Fnv1a();
        for (var u : graph.vertices()) {
            hash.add(Integer.toString(colours.get(u)));
            hash.add((byte) '\n');
        }
        hash.add(Integer.toString(end));
        hash.add((byte) '\n');
        return hash.value();
    }

    /** Fails where the colouring is not proper. */
    private void verify() {
        for (var u : graph.vertices()) {
            int colour = colours.get(u);
            if (colour >= end) {
                throw new IllegalStateException("vertex " + Integer.toUnsignedString(u)
                        + " has colour " + colour + " of only " + end);
            }
            for (var w : graph.neighbours().get(u)) {
                if (colours.get(w) == colour) {
                    throw new IllegalStateException("vertices " + Integer.toUnsignedString(u)
                            + " and " + Integer.toUnsignedString(w)
                            + " are neighbours of one colour");
                }
            }
        }
    }

    @Override
    public Map<String, Long> counters() {
        return counts.byName();
    }

    public static void main(String[] arguments) throws IOException {
        Harness.main("colouring", "standard", new Colouring(), arguments);
    }
}
