package langbench.plain;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import runfair.Fnv1a;
import runfair.Harness;
import runfair.Options;
import runfair.UserMistake;

/** The contract's pseudocode over HashMap and HashSet, in Java 8. */
public final class Colouring implements Harness.Program {
    private static final int FAILED = -1;
    private static final long GREATEST_ID = (1L << 32) - 1;

    private static final class Graph {
        private final List<Long> vertices;
        private final Map<Long, Set<Long>> neighbours;

        Graph(Set<Long> ids, Map<Long, Set<Long>> neighbours) {
            vertices = new ArrayList<>(ids);
            Collections.sort(vertices);
            this.neighbours = neighbours;
        }
    }

    private static final class Hub {
        private long vertex;
        private int degree;
    }

    private static final class Frame {
        private final Graph graph;
        private final int k;
        private int first;
        private int end;
        private Map<Long, Integer> degrees;
        private long hub;
        private Graph inner;

        Frame(Graph graph, int k, int first) {
            this.graph = graph;
            this.k = k;
            this.first = first;
            this.end = first;
        }
    }

    private long attempts;
    private long subgraphs;
    private long vertices;
    private long edges;
    private long probes;

    private Graph input;
    private boolean isRecursive;
    private Map<Long, Integer> colours;
    private int end;

    @Override
    public void run() {
        for (int k = 2;; k++) {
            attempts++; // tick
            colours = new HashMap<>();
            end = isRecursive ? recursive(input, k, 0) : iterative(input, k);
            if (end != FAILED) {
                return;
            }
        }
    }

    private int recursive(Graph graph, int k, int start) {
        if (k == 2) {
            return twoColour(graph, start);
        }
        int first = start;
        int last = start;
        Map<Long, Integer> degrees = degreesOf(graph);
        while (true) {
            Hub hub = widest(graph, degrees);
            if (!isWide(hub.degree, graph.vertices.size(), k)) {
                return Math.max(last, greedy(graph, degrees, first));
            }
            Graph inner = neighbourhood(graph, degrees, hub.vertex);
            int free = recursive(inner, k - 1, first);
            if (free == FAILED) {
                return FAILED;
            }
            colours.put(hub.vertex, free);
            last = free + 1;
            remove(graph, degrees, hub.vertex, inner);
            first = free;
        }
    }

    private int iterative(Graph graph, int k) {
        Deque<Frame> stack = new ArrayDeque<>();
        stack.push(new Frame(graph, k, 0));
        int free = 0;
        while (!stack.isEmpty()) {
            Frame frame = stack.peek();
            if (frame.k == 2) {
                free = twoColour(frame.graph, frame.first);
                if (free == FAILED) {
                    return FAILED;
                }
                stack.pop();
                continue;
            }
            if (frame.degrees == null) {
                frame.degrees = degreesOf(frame.graph);
            } else {
                colours.put(frame.hub, free);
                frame.end = free + 1;
                remove(frame.graph, frame.degrees, frame.hub, frame.inner);
                frame.first = free;
            }
            Hub hub = widest(frame.graph, frame.degrees);
            frame.hub = hub.vertex;
            if (isWide(hub.degree, frame.graph.vertices.size(), frame.k)) {
                frame.inner = neighbourhood(frame.graph, frame.degrees, hub.vertex);
                stack.push(new Frame(frame.inner, frame.k - 1, frame.first));
            } else {
                free = Math.max(frame.end, greedy(frame.graph, frame.degrees, frame.first));
                stack.pop();
            }
        }
        return free;
    }

    private Map<Long, Integer> degreesOf(Graph graph) {
        Map<Long, Integer> degrees = new HashMap<>();
        for (Long u : graph.vertices) {
            vertices++; // tick
            degrees.put(u, graph.neighbours.get(u).size());
        }
        return degrees;
    }

    private Hub widest(Graph graph, Map<Long, Integer> degrees) {
        Hub hub = new Hub();
        for (Long u : graph.vertices) {
            probes++; // tick
            Integer degree = degrees.get(u);
            if (degree != null && degree > hub.degree) {
                hub.vertex = u;
                hub.degree = degree;
            }
        }
        return hub;
    }

    private static boolean isWide(int degree, int n, int k) {
        double product = degree;
        for (int i = 0; i < k - 2; i++) {
            product *= (double) degree / n;
        }
        return product >= 1;
    }

    private Graph neighbourhood(Graph graph, Map<Long, Integer> degrees, long hub) {
        subgraphs++; // tick
        vertices++; // tick
        Set<Long> members = new HashSet<>();
        for (Long w : graph.neighbours.get(hub)) {
            probes++; // tick
            if (degrees.containsKey(w)) {
                members.add(w);
            }
        }
        Graph inner = new Graph(members, new HashMap<>());
        for (Long u : inner.vertices) {
            vertices++; // tick
            inner.neighbours.put(u, intersection(graph.neighbours.get(u), members));
        }
        return inner;
    }

    private Set<Long> intersection(Set<Long> a, Set<Long> b) {
        if (a.size() > b.size()) {
            return intersection(b, a);
        }
        Set<Long> common = new HashSet<>();
        for (Long w : a) {
            probes++; // tick
            if (b.contains(w)) {
                common.add(w);
            }
        }
        return common;
    }

    private void remove(Graph graph, Map<Long, Integer> degrees, long hub, Graph inner) {
        degrees.remove(hub);
        for (Long u : inner.vertices) {
            degrees.remove(u);
        }
        for (Long u : inner.vertices) {
            vertices++; // tick
            for (Long w : graph.neighbours.get(u)) {
                edges++; // tick
                probes++; // tick
                Integer degree = degrees.get(w);
                if (degree != null) {
                    degrees.put(w, degree - 1);
                }
            }
        }
    }

    private int twoColour(Graph graph, int first) {
        int last = first + 1;
        for (Long root : graph.vertices) {
            probes++; // tick
            if (colours.containsKey(root)) {
                continue;
            }
            colours.put(root, first);
            boolean odd = false;
            List<Long> queue = new ArrayList<>();
            queue.add(root);
            for (int i = 0; i < queue.size(); i++) {
                Long u = queue.get(i);
                vertices++; // tick
                probes++; // tick
                int other = 2 * first + 1 - colours.get(u);
                for (Long w : graph.neighbours.get(u)) {
                    edges++; // tick
                    probes++; // tick
                    Integer colour = colours.get(w);
                    if (colour == null) {
                        colours.put(w, other);
                        last = first + 2;
                        queue.add(w);
                    } else if (colour != other) {
                        odd = true;
                    }
                }
            }
            if (odd) {
                return FAILED;
            }
        }
        return last;
    }

    private int greedy(Graph graph, Map<Long, Integer> degrees, int first) {
        int last = first;
        for (Long u : graph.vertices) {
            probes++; // tick
            if (!degrees.containsKey(u)) {
                continue;
            }
            vertices++; // tick
            Set<Integer> taken = new HashSet<>();
            for (Long w : graph.neighbours.get(u)) {
                edges++; // tick
                probes++; // tick
                Integer colour = colours.get(w);
                if (colour != null) {
                    taken.add(colour);
                }
            }
            int colour = first;
            while (taken.contains(colour)) {
                colour++;
            }
            colours.put(u, colour);
            last = Math.max(last, colour + 1);
        }
        return last;
    }

    @Override
    public void load(Options options) {
        isRecursive = options.text("form").equals("recursive");
        String text = options.readInput();
        if (text.endsWith("\n")) {
            text = text.substring(0, text.length() - 1);
        }
        Pattern edge = Pattern.compile("([0-9]{1,10})\t([0-9]{1,10})\r?");
        Map<Long, Set<Long>> neighbours = new HashMap<>();
        int index = 0;
        for (String line : text.split("\n", -1)) {
            index++;
            if (line.startsWith("#")) {
                continue;
            }
            Matcher ids = edge.matcher(line);
            long u = ids.matches() ? Long.parseLong(ids.group(1)) : Long.MAX_VALUE;
            long v = ids.matches() ? Long.parseLong(ids.group(2)) : Long.MAX_VALUE;
            if (u > GREATEST_ID || v > GREATEST_ID) {
                throw badLine(index, "an edge is two ids from 0 to 4294967295 and a tab between");
            }
            if (u == v) {
                throw badLine(index, "vertex " + u + " is joined to itself, and so has no colour");
            }
            neighbours.computeIfAbsent(u, id -> new HashSet<>()).add(v);
            neighbours.computeIfAbsent(v, id -> new HashSet<>()).add(u);
        }
        if (neighbours.isEmpty()) {
            throw new UserMistake("the input has no edge; make it with generate.py");
        }
        input = new Graph(neighbours.keySet(), neighbours);
    }

    private static UserMistake badLine(int number, String what) {
        return new UserMistake("line " + number + " of the input: " + what
                + "; take a SNAP edge list");
    }

    @Override
    public void prepare() {}

    /** Fails if the colouring is not proper. */
    private void verify() {
        for (Long u : input.vertices) {
            int colour = colours.get(u);
            if (colour >= end) {
                throw new IllegalStateException(
                        "vertex " + u + " has colour " + colour + " of only " + end);
            }
            for (Long w : input.neighbours.get(u)) {
                if (colours.get(w) == colour) {
                    throw new IllegalStateException(
                            "vertices " + u + " and " + w + " are neighbours of one colour");
                }
            }
        }
    }

    @Override
    public long digest() {
        verify();
        Fnv1a hash = new Fnv1a();
        for (Long u : input.vertices) {
            hash.add(colours.get(u) + "\n");
        }
        hash.add(end + "\n");
        return hash.value();
    }

    @Override
    public Map<String, Long> counters() {
        Map<String, Long> counters = new HashMap<>();
        counters.put("attempts", attempts);
        counters.put("subgraphs", subgraphs);
        counters.put("vertices", vertices);
        counters.put("edges", edges);
        counters.put("probes", probes);
        return counters;
    }

    public static void main(String[] arguments) {
        Harness.main("colouring", "plain", new Colouring(), arguments);
    }
}
