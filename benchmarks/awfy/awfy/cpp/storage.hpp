// A tree of arrays, whose leaves are arrays of random lengths.

#pragma once

#include <cstdint>
#include <memory>

#include "benchmark.hpp"
#include "counts.hpp"
#include "random.hpp"

namespace awfy {

class Storage final : public Benchmark {
public:
    std::int64_t once() override {
        count_ = 0;
        tree(depth, *std::make_unique<Random>());
        return count_;
    }

private:
    static constexpr int depth = 7;
    static constexpr int branches = 4;

    // An element of an array: an array of such elements, or none.
    struct Array {
        std::unique_ptr<Array[]> elements;
    };

    std::unique_ptr<Array[]> tree(int depth, Random& random) {
        counts.steps++;  // tick
        count_++;
        if (depth == 1)
            return std::make_unique<Array[]>(random.next() % 10 + 1);
        auto all = std::make_unique<Array[]>(branches);
        for (int i = 0; i < branches; i++)
            all[i].elements = tree(depth - 1, random);
        return all;
    }

    int count_ = 0;
};

}  // namespace awfy
