// An attempt to colour a graph with few colours, by Wigderson's algorithm.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stack>
#include <utility>
#include <vector>

#include "graph.hpp"

namespace colouring {

using Colour = std::uint32_t;

struct Counts {
    std::uint64_t attempts = 0;
    std::uint64_t subgraphs = 0;
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    std::uint64_t probes = 0;
};

inline Counts counts;

// Whether degree >= n ^ (1 - 1 / (k - 1)).
inline bool is_wide(std::size_t degree, std::size_t n, unsigned k) {
    const double share = static_cast<double>(degree) / static_cast<double>(n);
    double product = static_cast<double>(degree);
    for (unsigned i = 2; i < k; ++i)
        product *= share;
    return product >= 1;
}

// One attempt to colour a graph.
template <class Tables>
class Attempt {
public:
    using Graph = colouring::Graph<Tables>;
    using Neighbours = typename Graph::Neighbours;
    using Colours = typename Tables::template Map<Vertex, Colour>;
    // Of the vertices that are left.
    using Degrees = typename Tables::template Map<Vertex, std::uint32_t>;

    // Colours the graph from `first` on; the first colour then free, none where k is too few.
    std::optional<Colour> recursive(const Graph& graph, unsigned k, Colour first = 0) {
        if (k == 2)
            return two_colour(graph, first);
        Degrees degrees = degrees_of(graph);
        Colour end = first;
        while (true) {
            const auto [hub, degree] = widest(graph, degrees);
            if (!is_wide(degree, graph.vertices.size(), k))
                return std::max(end, greedy(graph, degrees, first));
            const Graph inner = neighbourhood(graph, degrees, hub);
            const std::optional<Colour> free = recursive(inner, k - 1, first);
            if (!free)
                return std::nullopt;
            colours_[hub] = *free;
            end = *free + 1;
            remove(graph, degrees, hub, inner);
            first = *free;  // the hub has no neighbour left: its colour serves again
        }
    }

    // Does what `recursive` does, from a stack of its own.
    std::optional<Colour> iterative(const Graph& graph, unsigned k) {
        std::stack<Frame> stack;  // where a frame stays in its place: those above refer to it
        stack.push({graph, k, 0, 0});
        Colour free = 0;
        while (!stack.empty()) {
            Frame& frame = stack.top();
            if (frame.k == 2) {
                const std::optional<Colour> end = two_colour(frame.graph, frame.first);
                if (!end)
                    return std::nullopt;
                free = *end;
                stack.pop();
                continue;
            }
            if (!frame.degrees) {
                frame.degrees = degrees_of(frame.graph);
            } else {
                colours_[frame.hub] = free;
                frame.end = free + 1;
                remove(frame.graph, *frame.degrees, frame.hub, frame.inner);
                frame.first = free;
            }
            const auto [hub, degree] = widest(frame.graph, *frame.degrees);
            if (is_wide(degree, frame.graph.vertices.size(), frame.k)) {
                frame.hub = hub;
                frame.inner = neighbourhood(frame.graph, *frame.degrees, hub);
                stack.push({frame.inner, frame.k - 1, frame.first, frame.first});
            } else {
                free = std::max(frame.end, greedy(frame.graph, *frame.degrees, frame.first));
                stack.pop();
            }
        }
        return free;
    }

    Colours& colours() { return colours_; }

private:
    // A call of `recursive`, with its arguments and variables.
    struct Frame {
        const Graph& graph;
        unsigned k;
        Colour first;
        Colour end;
        std::optional<Degrees> degrees = std::nullopt;
        Vertex hub = 0;
        Graph inner = {};
    };

    Degrees degrees_of(const Graph& graph) {
        Degrees degrees;
        for (const Vertex u : graph.vertices) {
            counts.vertices++;  // tick
            degrees[u] = static_cast<std::uint32_t>(neighbours(graph, u).size());
        }
        return degrees;
    }

    // The least of the vertices of the greatest degree.
    std::pair<Vertex, std::uint32_t> widest(const Graph& graph, const Degrees& degrees) {
        Vertex hub = 0;
        std::uint32_t greatest = 0;
        for (const Vertex u : graph.vertices) {
            counts.probes++;  // tick
            const auto found = degrees.find(u);
            if (found != degrees.end() && found->second > greatest) {
                hub = u;
                greatest = found->second;
            }
        }
        return {hub, greatest};
    }

    // The graph on N(hub), the hub itself not in it.
    Graph neighbourhood(const Graph& graph, const Degrees& degrees, Vertex hub) {
        counts.subgraphs++;  // tick
        counts.vertices++;   // tick
        Neighbours members;
        for (const Vertex w : neighbours(graph, hub)) {
            counts.probes++;  // tick
            if (degrees.contains(w))
                members.insert(w);
        }
        Graph inner;
        inner.vertices.assign(members.begin(), members.end());
        std::sort(inner.vertices.begin(), inner.vertices.end());
        for (const Vertex u : inner.vertices) {
            counts.vertices++;  // tick
            inner.neighbours.emplace(u, intersection(neighbours(graph, u), members));
        }
        return inner;
    }

    Neighbours intersection(const Neighbours& a, const Neighbours& b) {
        if (a.size() > b.size())
            return intersection(b, a);
        Neighbours common;
        for (const Vertex w : a) {
            counts.probes++;  // tick
            if (b.contains(w))
                common.insert(w);
        }
        return common;
    }

    void remove(const Graph& graph, Degrees& degrees, Vertex hub, const Graph& inner) {
        degrees.erase(hub);
        for (const Vertex u : inner.vertices)
            degrees.erase(u);
        for (const Vertex u : inner.vertices) {
            counts.vertices++;  // tick
            for (const Vertex w : neighbours(graph, u)) {
                counts.edges++;   // tick
                counts.probes++;  // tick
                const auto found = degrees.find(w);
                if (found != degrees.end())
                    --found->second;
            }
        }
    }

    std::optional<Colour> two_colour(const Graph& graph, Colour first) {
        Colour end = first + 1;
        for (const Vertex root : graph.vertices) {
            counts.probes++;  // tick
            if (!colours_.try_emplace(root, first).second)
                continue;
            bool odd = false;
            std::vector<Vertex> queue{root};
            for (std::size_t at = 0; at < queue.size(); ++at) {
                counts.vertices++;  // tick
                counts.probes++;    // tick
                const Vertex u = queue[at];
                const Colour other = 2 * first + 1 - colours_.find(u)->second;
                for (const Vertex w : neighbours(graph, u)) {
                    counts.edges++;   // tick
                    counts.probes++;  // tick
                    const auto [found, added] = colours_.try_emplace(w, other);
                    if (added) {
                        end = first + 2;
                        queue.push_back(w);
                    } else if (found->second != other) {
                        odd = true;
                    }
                }
            }
            if (odd)
                return std::nullopt;
        }
        return end;
    }

    // The least colour from `first` on that no neighbour has, one vertex after the other.
    Colour greedy(const Graph& graph, const Degrees& degrees, Colour first) {
        Colour end = first;
        typename Tables::template Set<Colour> taken;
        for (const Vertex u : graph.vertices) {
            counts.probes++;  // tick
            if (!degrees.contains(u))
                continue;
            counts.vertices++;  // tick
            taken.clear();
            for (const Vertex w : neighbours(graph, u)) {
                counts.edges++;   // tick
                counts.probes++;  // tick
                const auto found = colours_.find(w);
                if (found != colours_.end())
                    taken.insert(found->second);
            }
            Colour colour = first;
            while (taken.contains(colour))
                ++colour;
            colours_[u] = colour;
            end = std::max(end, colour + 1);
        }
        return end;
    }

    static const Neighbours& neighbours(const Graph& graph, Vertex u) {
        return graph.neighbours.find(u)->second;
    }

    Colours colours_;
};

}  // namespace colouring
