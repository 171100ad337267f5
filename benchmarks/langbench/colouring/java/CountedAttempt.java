package langbench;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The steps of Attempt.java, line by line, with counters. Never made in a timed process, so that
 * the virtual machine sees but one kind of attempt there.
 */
final class CountedAttempt extends Attempt {
    long subgraphs;
    long vertices;
    long edges;
    long probes;

    @Override
    Map<Integer, Integer> degreesOf(Graph graph) {
        var degrees = new HashMap<Integer, Integer>();
        for (var u : graph.vertices()) {
            vertices++;
            degrees.put(u, graph.neighbours().get(u).size());
        }
        return degrees;
    }

    @Override
    Hub widest(Graph graph, Map<Integer, Integer> degrees) {
        Integer hub = null;
        int greatest = 0;
        for (var u : graph.vertices()) {
            probes++;
            var degree = degrees.get(u);
            if (degree != null && degree > greatest) {
                hub = u;
                greatest = degree;
            }
        }
        return new Hub(hub, greatest);
    }

    @Override
    Graph neighbourhood(Graph graph, Map<Integer, Integer> degrees, Integer hub) {
        subgraphs++;
        vertices++;
        var members = new HashSet<Integer>();
        for (var w : graph.neighbours().get(hub)) {
            probes++;
            if (degrees.containsKey(w)) {
                members.add(w);
            }
        }
        var inner = Graph.on(members);
        for (var u : inner.vertices()) {
            vertices++;
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
            probes++;
            if (b.contains(w)) {
                common.add(w);
            }
        }
        return common;
    }

    @Override
    void remove(Graph graph, Map<Integer, Integer> degrees, Integer hub, Graph inner) {
        degrees.remove(hub);
        for (var u : inner.vertices()) {
            degrees.remove(u);
        }
        for (var u : inner.vertices()) {
            vertices++;
            for (var w : graph.neighbours().get(u)) {
                edges++;
                probes++;
                degrees.computeIfPresent(w, (vertex, degree) -> degree - 1);
            }
        }
    }

    @Override
    int twoColour(Graph graph, int first) {
        int end = first + 1;
        for (var root : graph.vertices()) {
            probes++;
            if (colours.putIfAbsent(root, first) != null) {
                continue;
            }
            boolean odd = false;
            List<Integer> queue = new ArrayList<>();
            queue.add(root);
            for (int at = 0; at < queue.size(); at++) {
                vertices++;
                probes++;
                var u = queue.get(at);
                int other = 2 * first + 1 - colours.get(u);
                for (var w : graph.neighbours().get(u)) {
                    edges++;
                    probes++;
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

    @Override
    int greedy(Graph graph, Map<Integer, Integer> degrees, int first) {
        int end = first;
        var taken = new HashSet<Integer>();
        for (var u : graph.vertices()) {
            probes++;
            if (!degrees.containsKey(u)) {
                continue;
            }
            vertices++;
            taken.clear();
            for (var w : graph.neighbours().get(u)) {
                edges++;
                probes++;
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
