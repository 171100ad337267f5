// Loops of a flow graph; the answer is the number of loops times 10000, and of blocks.

#pragma once

#include <cstdint>
#include <memory>

#include "benchmark.hpp"
#include "flow_graph.hpp"
#include "loop_finder.hpp"
#include "loop_structure.hpp"

namespace awfy {

class Havlak final : public Benchmark::Sized {
public:
    explicit Havlak(int parallel) : parallel_(parallel) {}

    std::int64_t run(int repetitions) override {
        const auto graph = std::make_unique<FlowGraph>();
        const auto structure = std::make_unique<LoopStructure>();
        graph->block(0);
        graph->add_loops(0);
        graph->block(1);
        graph->connect(0, 2);
        for (int i = 0; i < repetitions; i++)
            std::make_unique<LoopFinder>(*graph, *structure)->find_loops();
        add_trees(*graph);
        std::make_unique<LoopFinder>(*graph, *structure)->find_loops();
        for (int i = 0; i < searches; i++)
            std::make_unique<LoopFinder>(*graph, *std::make_unique<LoopStructure>())->find_loops();
        structure->nest();
        return structure->size() * std::int64_t{10'000} + graph->size();
    }

private:
    static constexpr int searches = 50;
    static constexpr int nested = 5;

    void add_trees(FlowGraph& graph) const {
        int n = 2;
        for (int i = 0; i < parallel_; i++) {
            graph.block(n + 1);
            graph.connect(2, n + 1);
            n++;
            for (int j = 0; j < parallel_; j++) {
                const int top = n;
                n = graph.add_straight(n, 1);
                for (int k = 0; k < nested; k++)
                    n = graph.add_loops(n);
                const int bottom = graph.add_straight(n, 1);
                graph.connect(n, top);
                n = bottom;
            }
            graph.connect(n, 1);
        }
    }

    const int parallel_;
};

}  // namespace awfy
