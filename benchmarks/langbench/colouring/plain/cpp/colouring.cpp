// The contract's pseudocode over std::unordered_map and std::unordered_set; see
// langbench/colouring/contract.md.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace {

typedef std::uint32_t Vertex;
typedef std::unordered_set<Vertex> Set;
typedef std::unordered_map<Vertex, int> Table;

const int failed = -1;

struct Counts {
    std::uint64_t attempts = 0;
    std::uint64_t subgraphs = 0;
    std::uint64_t vertices = 0;
    std::uint64_t edges = 0;
    std::uint64_t probes = 0;
};

Counts counts;

struct Graph {
    std::vector<Vertex> vertices;
    std::unordered_map<Vertex, Set> neighbours;
};

struct Hub {
    Vertex vertex;
    int degree;
};

Table degrees_of(const Graph& graph) {
    Table degrees;
    for (const Vertex u : graph.vertices) {
        counts.vertices++;  // tick
        degrees[u] = static_cast<int>(graph.neighbours.at(u).size());
    }
    return degrees;
}

Hub widest(const Graph& graph, const Table& degrees) {
    Hub hub = {0, 0};
    for (const Vertex u : graph.vertices) {
        counts.probes++;  // tick
        const Table::const_iterator found = degrees.find(u);
        if (found != degrees.end() && found->second > hub.degree) {
            hub.vertex = u;
            hub.degree = found->second;
        }
    }
    return hub;
}

bool is_wide(int degree, std::size_t n, int k) {
    double product = degree;
    for (int i = 0; i < k - 2; i++)
        product *= degree / static_cast<double>(n);
    return product >= 1;
}

Set intersection(const Set& a, const Set& b) {
    if (a.size() > b.size())
        return intersection(b, a);
    Set common;
    for (const Vertex w : a) {
        counts.probes++;  // tick
        if (b.count(w) > 0)
            common.insert(w);
    }
    return common;
}

Graph neighbourhood(const Graph& graph, const Table& degrees, Vertex hub) {
    counts.subgraphs++;  // tick
    counts.vertices++;   // tick
    Set members;
    for (const Vertex w : graph.neighbours.at(hub)) {
        counts.probes++;  // tick
        if (degrees.count(w) > 0)
            members.insert(w);
    }
    Graph inner;
    inner.vertices.assign(members.begin(), members.end());
    std::sort(inner.vertices.begin(), inner.vertices.end());
    for (const Vertex u : inner.vertices) {
        counts.vertices++;  // tick
        inner.neighbours[u] = intersection(graph.neighbours.at(u), members);
    }
    return inner;
}

void remove(const Graph& graph, Table& degrees, Vertex hub, const Graph& inner) {
    degrees.erase(hub);
    for (const Vertex u : inner.vertices)
        degrees.erase(u);
    for (const Vertex u : inner.vertices) {
        counts.vertices++;  // tick
        for (const Vertex w : graph.neighbours.at(u)) {
            counts.edges++;   // tick
            counts.probes++;  // tick
            const Table::iterator found = degrees.find(w);
            if (found != degrees.end())
                found->second--;
        }
    }
}

struct Frame {
    const Graph* graph;
    int k;
    int first;
    int end;
    bool begun;
    Table degrees;
    Vertex hub;
    Graph inner;
};

struct Attempt {
    Table colours;

    int two_colour(const Graph& graph, int first) {
        int end = first + 1;
        for (const Vertex root : graph.vertices) {
            counts.probes++;  // tick
            if (colours.count(root) > 0)
                continue;
            colours[root] = first;
            bool odd = false;
            std::vector<Vertex> queue(1, root);
            for (std::size_t i = 0; i < queue.size(); i++) {
                const Vertex u = queue[i];
                counts.vertices++;  // tick
                counts.probes++;    // tick
                const int other = 2 * first + 1 - colours[u];
                for (const Vertex w : graph.neighbours.at(u)) {
                    counts.edges++;   // tick
                    counts.probes++;  // tick
                    const Table::const_iterator found = colours.find(w);
                    if (found == colours.end()) {
                        colours[w] = other;
                        end = first + 2;
                        queue.push_back(w);
                    } else if (found->second != other) {
                        odd = true;
                    }
                }
            }
            if (odd)
                return failed;
        }
        return end;
    }

    int greedy(const Graph& graph, const Table& degrees, int first) {
        int end = first;
        for (const Vertex u : graph.vertices) {
            counts.probes++;  // tick
            if (degrees.count(u) == 0)
                continue;
            counts.vertices++;  // tick
            std::unordered_set<int> taken;
            for (const Vertex w : graph.neighbours.at(u)) {
                counts.edges++;   // tick
                counts.probes++;  // tick
                const Table::const_iterator found = colours.find(w);
                if (found != colours.end())
                    taken.insert(found->second);
            }
            int colour = first;
            while (taken.count(colour) > 0)
                colour++;
            colours[u] = colour;
            end = std::max(end, colour + 1);
        }
        return end;
    }

    int recursive(const Graph& graph, int k, int first) {
        if (k == 2)
            return two_colour(graph, first);
        Table degrees = degrees_of(graph);
        int end = first;
        while (true) {
            const Hub hub = widest(graph, degrees);
            if (!is_wide(hub.degree, graph.vertices.size(), k))
                return std::max(end, greedy(graph, degrees, first));
            const Graph inner = neighbourhood(graph, degrees, hub.vertex);
            const int free = recursive(inner, k - 1, first);
            if (free == failed)
                return failed;
            colours[hub.vertex] = free;
            end = free + 1;
            remove(graph, degrees, hub.vertex, inner);
            first = free;
        }
    }

    int iterative(const Graph& graph, int k) {
        // A frame's graph is the one in the frame below: a stack of pointers keeps it in its place.
        std::vector<std::unique_ptr<Frame>> stack;
        push(stack, graph, k, 0);
        int free = 0;
        while (!stack.empty()) {
            Frame& frame = *stack.back();
            if (frame.k == 2) {
                free = two_colour(*frame.graph, frame.first);
                if (free == failed)
                    return failed;
                stack.pop_back();
                continue;
            }
            if (!frame.begun) {
                frame.begun = true;
                frame.degrees = degrees_of(*frame.graph);
            } else {
                colours[frame.hub] = free;
                frame.end = free + 1;
                remove(*frame.graph, frame.degrees, frame.hub, frame.inner);
                frame.first = free;
            }
            const Hub hub = widest(*frame.graph, frame.degrees);
            frame.hub = hub.vertex;
            if (is_wide(hub.degree, frame.graph->vertices.size(), frame.k)) {
                frame.inner = neighbourhood(*frame.graph, frame.degrees, hub.vertex);
                push(stack, frame.inner, frame.k - 1, frame.first);
            } else {
                free = std::max(frame.end, greedy(*frame.graph, frame.degrees, frame.first));
                stack.pop_back();
            }
        }
        return free;
    }

    static void push(std::vector<std::unique_ptr<Frame>>& stack, const Graph& graph, int k,
                     int first) {
        stack.emplace_back(new Frame{&graph, k, first, first, false, Table(), 0, Graph()});
    }
};

runfair::UserError bad_line(std::size_t index, const std::string& what) {
    return runfair::UserError("line " + std::to_string(index + 1) + " of the input: " + what +
                              "; take a SNAP edge list");
}

// An id of 1 to 10 digits; anything else is too great.
std::uint64_t parse_id(const std::string& text) {
    const bool digits = text.find_first_not_of("0123456789") == std::string::npos;
    if (!digits || text.empty() || text.size() > 10)
        return UINT64_MAX;
    return std::strtoull(text.c_str(), nullptr, 10);
}

struct Answer {
    Table colours;
    int end;
};

struct Colouring {
    static constexpr const char* name = "colouring";
    static constexpr const char* tier = "plain";
    static constexpr std::uint64_t max_threads = 1;

    Graph graph;
    bool recursive;

    static Colouring load(const runfair::Options& options) {
        std::string text = runfair::read(options.text("input"));
        if (text.empty() || text[text.size() - 1] != '\n')
            text += '\n';
        Colouring task;
        task.recursive = options.text("form") == "recursive";
        std::size_t index = 0;
        for (std::size_t start = 0; start < text.size(); index++) {
            const std::size_t stop = text.find('\n', start);
            task.add(text.substr(start, stop - start), index);
            start = stop + 1;
        }
        for (const auto& entry : task.graph.neighbours)
            task.graph.vertices.push_back(entry.first);
        if (task.graph.vertices.empty())
            throw runfair::UserError("the input has no edge; make it with generate.py");
        std::sort(task.graph.vertices.begin(), task.graph.vertices.end());
        return task;
    }

    void add(std::string line, std::size_t index) {
        if (!line.empty() && line[0] == '#')
            return;
        if (!line.empty() && line[line.size() - 1] == '\r')
            line.erase(line.size() - 1);
        const std::size_t tab = std::min(line.find('\t'), line.size());
        const std::uint64_t u = parse_id(line.substr(0, tab));
        const std::uint64_t v = tab < line.size() ? parse_id(line.substr(tab + 1)) : UINT64_MAX;
        if (u > UINT32_MAX || v > UINT32_MAX)
            throw bad_line(index, "an edge is two ids from 0 to 4294967295 and a tab between");
        if (u == v) {
            throw bad_line(index, "vertex " + std::to_string(u) +
                                      " is joined to itself, and so has no colour");
        }
        graph.neighbours[static_cast<Vertex>(u)].insert(static_cast<Vertex>(v));
        graph.neighbours[static_cast<Vertex>(v)].insert(static_cast<Vertex>(u));
    }

    int prepare() const { return 0; }

    Answer run(int) const {
        for (int k = 2;; k++) {
            counts.attempts++;  // tick
            Attempt attempt;
            const int end =
                recursive ? attempt.recursive(graph, k, 0) : attempt.iterative(graph, k);
            if (end != failed)
                return {std::move(attempt.colours), end};
        }
    }

    std::uint64_t digest(const Answer& answer) const {
        verify(answer);
        runfair::Fnv1a hash;
        for (const Vertex u : graph.vertices)
            hash.add(std::to_string(answer.colours.at(u)) + '\n');
        hash.add(std::to_string(answer.end) + '\n');
        return hash.value;
    }

    // Throws std::logic_error if the colouring is not proper.
    void verify(const Answer& answer) const {
        for (const Vertex u : graph.vertices) {
            const int colour = answer.colours.at(u);
            if (colour >= answer.end)
                throw std::logic_error("vertex " + std::to_string(u) + " has a colour too many");
            for (const Vertex w : graph.neighbours.at(u)) {
                if (answer.colours.at(w) == colour) {
                    throw std::logic_error("vertices " + std::to_string(u) + " and " +
                                           std::to_string(w) + " are neighbours of one colour");
                }
            }
        }
    }

    static runfair::Counters counters() {
        return {{"attempts", counts.attempts},
                {"subgraphs", counts.subgraphs},
                {"vertices", counts.vertices},
                {"edges", counts.edges},
                {"probes", counts.probes}};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Colouring>(argc, argv);
}
