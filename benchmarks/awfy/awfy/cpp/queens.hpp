// Eight queens, ten times; the answer is how often all of them found a place.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class Queens final : public Benchmark {
public:
    std::int64_t once() override {
        int solved = 0;
        for (int i = 0; i < times; i++) {
            if (queens())
                solved++;
        }
        return solved;
    }

private:
    static constexpr int size = 8;
    static constexpr int times = 10;

    bool queens() {
        free_rows_ = free(size);
        free_maxs_ = free(2 * size);
        free_mins_ = free(2 * size);
        queen_rows_ = std::make_unique<int[]>(size);
        return place_queen(0);
    }

    static std::unique_ptr<bool[]> free(int length) {
        auto all = std::make_unique<bool[]>(length);
        std::fill_n(all.get(), length, true);
        return all;
    }

    bool place_queen(int column) {
        for (int row = 0; row < size; row++) {
            counts.steps++;  // tick
            if (is_free(row, column)) {
                queen_rows_[row] = column;
                set_free(row, column, false);
                if (column == size - 1 || place_queen(column + 1))
                    return true;
                set_free(row, column, true);
            }
        }
        return false;
    }

    bool is_free(int row, int column) const {
        return free_rows_[row] && free_maxs_[column + row] && free_mins_[column - row + size - 1];
    }

    void set_free(int row, int column, bool free) {
        free_rows_[row] = free;
        free_maxs_[column + row] = free;
        free_mins_[column - row + size - 1] = free;
    }

    std::unique_ptr<bool[]> free_maxs_;
    std::unique_ptr<bool[]> free_rows_;
    std::unique_ptr<bool[]> free_mins_;
    std::unique_ptr<int[]> queen_rows_;
};

}  // namespace awfy
