// The sieve of Eratosthenes up to 5000.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class Sieve final : public Benchmark {
public:
    std::int64_t once() override {
        const auto flags = std::make_unique<bool[]>(size);
        std::fill_n(flags.get(), size, true);
        int primes = 0;
        for (int i = 2; i <= size; i++) {
            if (flags[i - 1]) {
                primes++;
                for (int k = i + i; k <= size; k += i) {
                    counts.steps++;  // tick
                    flags[k - 1] = false;
                }
            }
        }
        return primes;
    }

private:
    static constexpr int size = 5000;
};

}  // namespace awfy
