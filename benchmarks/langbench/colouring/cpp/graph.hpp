// Graphs over hash tables, and how one is read from a file.
//
// `Tables` has the templates Map and Set: the tables of the library that a tier is named after.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runfair/options.hpp"

namespace colouring {

using Vertex = std::uint32_t;

// Vertices in ascending order, and the neighbours of each.
template <class Tables>
struct Graph {
    using Neighbours = typename Tables::template Set<Vertex>;

    std::vector<Vertex> vertices;
    typename Tables::template Map<Vertex, Neighbours> neighbours;
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

// The graph of a file of edges.
template <class Tables>
Graph<Tables> read_graph(const std::string& path) {
    Graph<Tables> graph;
    const std::string text = runfair::read(path);
    std::string_view rest = text;
    if (rest.ends_with('\n'))
        rest.remove_suffix(1);
    for (std::size_t index = 0; true; ++index) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        if (!line.starts_with('#')) {
            const auto [u, v] = parse_edge(line, index);
            graph.neighbours[u].insert(v);
            graph.neighbours[v].insert(u);
        }
        if (end == rest.size())
            break;
        rest.remove_prefix(end + 1);
    }
    if (graph.neighbours.empty())
        throw runfair::UserError("the input has no edge; make it with generate.py");
    for (const auto& [vertex, neighbours] : graph.neighbours)
        graph.vertices.push_back(vertex);
    std::sort(graph.vertices.begin(), graph.vertices.end());
    return graph;
}

}  // namespace colouring
