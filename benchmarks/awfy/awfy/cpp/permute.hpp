// All permutations of six elements, by swapping.

#pragma once

#include <cstdint>
#include <memory>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class Permute final : public Benchmark {
public:
    std::int64_t once() override {
        count_ = 0;
        elements_ = std::make_unique<int[]>(elements);
        permute(elements);
        return count_;
    }

private:
    static constexpr int elements = 6;

    void permute(int n) {
        counts.steps++;  // tick
        count_++;
        if (n != 0) {
            const int last = n - 1;
            permute(last);
            for (int i = last; i >= 0; i--) {
                swap(last, i);
                permute(last);
                swap(last, i);
            }
        }
    }

    void swap(int i, int j) {
        const int element = elements_[i];
        elements_[i] = elements_[j];
        elements_[j] = element;
    }

    int count_ = 0;
    std::unique_ptr<int[]> elements_;
};

}  // namespace awfy
