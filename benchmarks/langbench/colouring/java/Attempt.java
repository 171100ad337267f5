package langbench;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One attempt to colour a graph with a given k. */
final class Attempt {
    static final int FAILED = -1;

    final Map<Integer, Integer> colours = new HashMap<>();
    private final Counts counts;

    Attempt(Counts counts) {
        this.counts = counts;
    }

    /**
     * Colours the graph from first on.
     *
     * @return the first colour then free, or FAILED where k is too few
     */
    int recursive(Graph graph, int k, int first) {
        if (k == 2) {
            return twoColour(graph, first);
        }
        var degrees = degreesOf(graph);
        int end = first;
        while (true) {
            var hub = widest(graph, degrees);
            if (!isWide(hub.degree, graph.vertices().size(), k)) {
                return Math.max(end, greedy(graph, degrees, first));
            }
            var inner = neighbourhood(graph, degrees, hub.vertex);
            int free = recursive(inner, k - 1, first);
            if (free == FAILED) {
                return FAILED;
            }
            colours.put(hub.vertex, free);
            end = free + 1;
            remove(graph, degrees, hub.vertex, inner);
            first = free; // the hub has no neighbour left: its colour serves again
        }
    }

    /** Does what recursive does, from a stack of its own. */
    int iterative(Graph graph, int k) {
        var stack = new ArrayDeque<Frame>();
        stack.push(new Frame(graph, k, 0));
        int free = 0;
        while (!stack.isEmpty()) {
            var frame = stack.peek();
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
            var hub = widest(frame.graph, frame.degrees);
            if (isWide(hub.degree, frame.graph.vertices().size(), frame.k)) {
                frame.hub = hub.vertex;
                frame.inner = neighbourhood(frame.graph, frame.degrees, hub.vertex);
                stack.push(new Frame(frame.inner, frame.k - 1, frame.first));
            } else {
                free = Math.max(frame.end, greedy(frame.graph, frame.degrees, frame.first));
                stack.pop();
            }
        }
        return free;
    }

    /** A call of recursive, with its arguments and variables. */
    private static final class Frame {
        final Graph graph;
        final int k;
        int first;
        int end;
        Map<Integer, Integer> degrees;
        Integer hub;
        Graph inner;

        Frame(Graph graph, int k, int first) {
            this.graph = graph;
            this.k = k;
            this.first = first;
            this.end = first;
        }
    }

    /** A vertex and its degree; no vertex where the degree is 0. */
    private record Hub(Integer vertex, int degree) {}

    private Map<Integer, Integer> degreesOf(Graph graph) {
        var degrees = new HashMap<Integer, Integer>();
        for (var u : graph.vertices()) {
            counts.vertices++; // tick
            degrees.put(u, graph.neighbours().get(u).size());
        }
        return degrees;
    }

    /** Finds the least of the vertices of the greatest degree. */
    private Hub widest(Graph graph, Map<Integer, Integer> degrees) {
        Integer hub = null;
        int greatest = 0;
        for (var u : graph.vertices()) {
            counts.probes++; // tick
            var degree = degrees.get(u);
            if (degree != null && degree > greatest) {
                hub = u;
                greatest = degree;
            }
        }
        return new Hub(hub, greatest);
    }

    /** Tells whether degree ≥ n ^ (1 − 1 / (k − 1)). */
    private static boolean isWide(int degree, int n, int k) {
        double product = degree;
        for (int i = 2; i < k; i++) {
            product *= (double) degree / n;
        }
        return product >= 1;
    }

    /** Makes the graph on N(hub), the hub itself not in it. */
    private Graph neighbourhood(Graph graph, Map<Integer, Integer> degrees, Integer hub) {
        counts.subgraphs++; // tick
        counts.vertices++; // tick
        var members = new HashSet<Integer>();
        for (var w : graph.neighbours().get(hub)) {
            counts.probes++; // tick
            if (degrees.containsKey(w)) {
                members.add(w);
            }
        }
        var inner = Graph.on(members);
        for (var u : inner.vertices()) {
            counts.vertices++; // tick
            inner.neighbours().put(u, intersection(graph.neighbours().get(u), members));
        }
        return inner;
    }

    private Set<Integer> intersection(Set<Integer> a, Set<Integer> b) {
        if (a.size() > b.size()) {
            return intersection(b, a);
        }
        var common = new HashSet<Integer>();
        for (var w : a) {
            counts.probes++; // tick
            if (b.contains(w)) {
                common.add(w);
            }
        }
        return common;
    }

    private void remove(Graph graph, Map<Integer, Integer> degrees, Integer hub, Graph inner) {
        degrees.remove(hub);
        for (var u : inner.vertices()) {
            degrees.remove(u);
        }
        for (var u : inner.vertices()) {
            counts.vertices++; // tick
            for (var w : graph.neighbours().get(u)) {
                counts.edges++; // tick
                counts.probes++; // tick
                degrees.computeIfPresent(w, (vertex, degree) -> degree - 1);
            }
        }
    }

    private int twoColour(Graph graph, int first) {
        int end = first + 1;
        for (var root : graph.vertices()) {
            counts.probes++; // tick
            if (colours.putIfAbsent(root, first) != null) {
                continue;
            }
            boolean odd = false;
            List<Integer> queue = new ArrayList<>();
            queue.add(root);
            for (int at = 0; at < queue.size(); at++) {
                counts.vertices++; // tick
                counts.probes++; // tick
                var u = queue.get(at);
                int other = 2 * first + 1 - colours.get(u);
                for (var w : graph.neighbours().get(u)) {
                    counts.edges++; // tick
                    counts.probes++; // tick
                    var colour = colours.putIfAbsent(w, other);
                    if (colour == null) {
                        end = first + 2;
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
        return end;
    }

    /** Gives one vertex after the other the least colour from first on that no neighbour has. */
    private int greedy(Graph graph, Map<Integer, Integer> degrees, int first) {
        int end = first;
        var taken = new HashSet<Integer>();
        for (var u : graph.vertices()) {
            counts.probes++; // tick
            if (!degrees.containsKey(u)) {
                continue;
            }
            counts.vertices++; // tick
            taken.clear();
            for (var w : graph.neighbours().get(u)) {
                counts.edges++; // tick
                counts.probes++; // tick
                var colour = colours.get(w);
                if (colour != null) {
                    taken.add(colour);
                }
            }
            int colour = first;
            while (taken.contains(colour)) {
                colour++;
            }
            colours.put(u, colour);
            end = Math.max(end, colour + 1);
        }
        return end;
    }
}
