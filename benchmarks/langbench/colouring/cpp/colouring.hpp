// Colours a graph by Wigderson's algorithm over hash tables; see langbench/colouring/contract.md.
//
// The tiers differ by the library whose tables they take: `Tables` has the templates Map and Set,
// and the tier's name.

#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stack>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runfair.hpp"

namespace colouring {

enum Counters : std::size_t { attempts, subgraphs, vertex_visits, edge_visits, probes };

using Vertex = std::uint32_t;
using Colour = std::uint32_t;

// Vertices in ascending order, and the neighbours of each.
template <class Tables>
struct Graph {
    using Neighbours = typename Tables::template Set<Vertex>;

    std::vector<Vertex> vertices;
    typename Tables::template Map<Vertex, Neighbours> neighbours;
};

// Whether degree >= n ^ (1 - 1 / (k - 1)).
inline bool is_wide(std::size_t degree, std::size_t n, unsigned k) {
    const double share = static_cast<double>(degree) / static_cast<double>(n);
    double product = static_cast<double>(degree);
    for (unsigned i = 2; i < k; ++i)
        product *= share;
    return product >= 1;
}

// One attempt to colour a graph.
template <class Tables, class Counter>
class Colouring {
public:
    using Graph = colouring::Graph<Tables>;
    using Neighbours = typename Graph::Neighbours;
    using Colours = typename Tables::template Map<Vertex, Colour>;
    // Of the vertices that are left.
    using Degrees = typename Tables::template Map<Vertex, std::uint32_t>;

    explicit Colouring(Counter& counter) : counter_(counter) {}

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
            counter_.tick(vertex_visits);
            degrees[u] = static_cast<std::uint32_t>(neighbours(graph, u).size());
        }
        return degrees;
    }

    // The least of the vertices of the greatest degree.
    std::pair<Vertex, std::uint32_t> widest(const Graph& graph, const Degrees& degrees) {
        Vertex hub = 0;
        std::uint32_t greatest = 0;
        for (const Vertex u : graph.vertices) {
            counter_.tick(probes);
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
        counter_.tick(subgraphs);
        counter_.tick(vertex_visits);
        Neighbours members;
        for (const Vertex w : neighbours(graph, hub)) {
            counter_.tick(probes);
            if (degrees.contains(w))
                members.insert(w);
        }
        Graph inner;
        inner.vertices.assign(members.begin(), members.end());
        std::sort(inner.vertices.begin(), inner.vertices.end());
        for (const Vertex u : inner.vertices) {
            counter_.tick(vertex_visits);
            inner.neighbours.emplace(u, intersection(neighbours(graph, u), members));
        }
        return inner;
    }

    Neighbours intersection(const Neighbours& a, const Neighbours& b) {
        if (a.size() > b.size())
            return intersection(b, a);
        Neighbours common;
        for (const Vertex w : a) {
            counter_.tick(probes);
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
            counter_.tick(vertex_visits);
            for (const Vertex w : neighbours(graph, u)) {
                counter_.tick(edge_visits);
                counter_.tick(probes);
                const auto found = degrees.find(w);
                if (found != degrees.end())
                    --found->second;
            }
        }
    }

    std::optional<Colour> two_colour(const Graph& graph, Colour first) {
        Colour end = first + 1;
        for (const Vertex root : graph.vertices) {
            counter_.tick(probes);
            if (!colours_.try_emplace(root, first).second)
                continue;
            bool odd = false;
            std::vector<Vertex> queue{root};
            for (std::size_t at = 0; at < queue.size(); ++at) {
                counter_.tick(vertex_visits);
                counter_.tick(probes);
                const Vertex u = queue[at];
                const Colour other = 2 * first + 1 - colours_.find(u)->second;
                for (const Vertex w : neighbours(graph, u)) {
                    counter_.tick(edge_visits);
                    counter_.tick(probes);
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
            counter_.tick(probes);
            if (!degrees.contains(u))
                continue;
            counter_.tick(vertex_visits);
            taken.clear();
            for (const Vertex w : neighbours(graph, u)) {
                counter_.tick(edge_visits);
                counter_.tick(probes);
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

    Counter& counter_;
    Colours colours_;
};

inline runfair::UserError bad_line(std::size_t index, const std::string& what) {
    return runfair::UserError("line " + std::to_string(index + 1) + " of the input: " + what +
                              "; take a SNAP edge list");
}

// An id of 1 to 10 digits, below 2^32.
inline std::optional<Vertex> parse_id(std::string_view digits) {
    Vertex id = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, id);
    if (digits.size() > 10 || parsed.ec != std::errc() || parsed.ptr != end)
        return std::nullopt;
    return id;
}

inline std::pair<Vertex, Vertex> parse_edge(std::string_view line, std::size_t index) {
    if (line.ends_with('\r'))
        line.remove_suffix(1);
    const std::size_t tab = std::min(line.find('\t'), line.size());
    const std::optional<Vertex> u = parse_id(line.substr(0, tab));
    const std::optional<Vertex> v = parse_id(line.substr(std::min(tab + 1, line.size())));
    if (!u || !v)
        throw bad_line(index, "an edge is two ids from 0 to 4294967295 and a tab between");
    if (u == v) {
        throw bad_line(
            index, "vertex " + std::to_string(*u) + " is joined to itself, and so has no colour");
    }
    return {*u, *v};
}

template <class Tables>
class Program {
public:
    using Graph = colouring::Graph<Tables>;
    using Colours = typename Tables::template Map<Vertex, Colour>;

    struct Answer {
        Colours colours;
        Colour end;
    };

    static constexpr std::string_view name = "colouring";
    static constexpr std::string_view tier = Tables::tier;
    static constexpr std::array<std::string_view, 2> workloads{"youtube", "layered"};
    static constexpr std::array<runfair::Parameter, 1> parameters{{{"form", "iterative"}}};
    static constexpr std::array<std::string_view, 5> counters{"attempts", "subgraphs", "vertices",
                                                              "edges", "probes"};
    static constexpr std::size_t inputs = 1;
    static constexpr std::uint64_t max_threads = 1;

    static Program load(const runfair::Options& options) {
        Program program;
        const std::string& form = options.parameters.find("form")->second;
        if (form != "iterative" && form != "recursive") {
            throw runfair::UserError("unknown form " + runfair::quoted(form) +
                                     "; it is one of iterative, recursive");
        }
        program.recursive_ = form == "recursive";
        const std::string text = runfair::read(options.inputs.front());
        std::string_view rest = text;
        if (rest.ends_with('\n'))
            rest.remove_suffix(1);
        for (std::size_t index = 0; true; ++index) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            const std::string_view line = rest.substr(0, end);
            if (!line.starts_with('#')) {
                const auto [u, v] = parse_edge(line, index);
                program.graph_.neighbours[u].insert(v);
                program.graph_.neighbours[v].insert(u);
            }
            if (end == rest.size())
                break;
            rest.remove_prefix(end + 1);
        }
        if (program.graph_.neighbours.empty())
            throw runfair::UserError("the input has no edge; make it with generate.py");
        for (const auto& [vertex, neighbours] : program.graph_.neighbours)
            program.graph_.vertices.push_back(vertex);
        std::sort(program.graph_.vertices.begin(), program.graph_.vertices.end());
        return program;
    }

    // No iteration changes the graph, so none has a copy.
    const Graph* prepare() const { return &graph_; }

    // Finds the least k that is enough, each time with an attempt made anew.
    template <class Counter>
    Answer run(const Graph* graph, Counter& counter) const {
        for (unsigned k = 2; true; ++k) {
            counter.tick(attempts);
            Colouring<Tables, Counter> colouring(counter);
            const std::optional<Colour> end =
                recursive_ ? colouring.recursive(*graph, k) : colouring.iterative(*graph, k);
            if (end)
                return {std::move(colouring.colours()), *end};
        }
    }

    std::uint64_t digest(const Answer& answer) const {
        verify(answer);
        runfair::Fnv1a hash;
        for (const Vertex u : graph_.vertices)
            hash.add(std::to_string(answer.colours.find(u)->second) + '\n');
        hash.add(std::to_string(answer.end) + '\n');
        return hash.value();
    }

private:
    // Throws std::logic_error where the colouring is not proper.
    void verify(const Answer& answer) const {
        for (const Vertex u : graph_.vertices) {
            const Colour colour = answer.colours.at(u);
            if (colour >= answer.end)
                throw std::logic_error("vertex " + std::to_string(u) + " has a colour too many");
            for (const Vertex w : graph_.neighbours.at(u)) {
                if (answer.colours.at(w) == colour) {
                    throw std::logic_error("vertices " + std::to_string(u) + " and " +
                                           std::to_string(w) + " are neighbours of one colour");
                }
            }
        }
    }

    Graph graph_;
    bool recursive_ = false;
};

}  // namespace colouring
