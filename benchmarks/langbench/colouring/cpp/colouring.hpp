// Colours a graph by Wigderson's algorithm over hash tables; see langbench/colouring/contract.md.

#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "attempt.hpp"
#include "graph.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace colouring {

// `Tables` has the tier's name too.
template <class Tables>
class Colouring {
public:
    using Graph = colouring::Graph<Tables>;
    using Colours = typename Attempt<Tables>::Colours;

    struct Answer {
        Colours colours;
        Colour end;
    };

    static constexpr const char* name = "colouring";
    static constexpr const char* tier = Tables::tier;
    static constexpr std::uint64_t max_threads = 1;

    static Colouring load(const runfair::Options& options) {
        Colouring colouring;
        colouring.recursive_ = options.text("form") == "recursive";
        colouring.graph_ = read_graph<Tables>(options.text("input"));
        return colouring;
    }

    // No iteration changes the graph, so none has a copy.
    const Graph* prepare() const { return &graph_; }

    // Finds the least k that is enough, each time with an attempt made anew.
    Answer run(const Graph* graph) const {
        for (unsigned k = 2; true; ++k) {
            counts.attempts++;  // tick
            Attempt<Tables> attempt;
            const std::optional<Colour> end =
                recursive_ ? attempt.recursive(*graph, k) : attempt.iterative(*graph, k);
            if (end)
                return {std::move(attempt.colours()), *end};
        }
    }

    std::uint64_t digest(const Answer& answer) const {
        verify(answer);
        runfair::Fnv1a hash;
        for (const Vertex u : graph_.vertices)
            hash.add(std::to_string(answer.colours.find(u)->second) + '\n');
        hash.add(std::to_string(answer.end) + '\n');
        return hash.value;
    }

    runfair::Counters counters() const {
        return {{"attempts", counts.attempts},
                {"subgraphs", counts.subgraphs},
                {"vertices", counts.vertices},
                {"edges", counts.edges},
                {"probes", counts.probes}};
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
