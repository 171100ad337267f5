// One of the fourteen.

#pragma once

#include <cstdint>
#include <stdexcept>

namespace awfy {

class Benchmark {
public:
    class Sized;

    virtual ~Benchmark() = default;

    // Does the work once; the answer of contract.md.
    virtual std::int64_t once() = 0;

    // Does the work `inner` times, or once at that size.
    virtual std::int64_t run(int inner) {
        std::int64_t sum = 0;
        for (int i = 0; i < inner; i++)
            sum += once();
        return sum;
    }
};

// A benchmark whose `inner` is a size.
class Benchmark::Sized : public Benchmark {
public:
    std::int64_t once() final { throw std::logic_error("a benchmark of a size runs once"); }

    std::int64_t run(int inner) override = 0;
};

}  // namespace awfy
