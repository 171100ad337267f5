// The Mandelbrot set, a bit a pixel; the answer is all its bytes, by exclusive or.

#pragma once

#include <cstdint>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class Mandelbrot final : public Benchmark::Sized {
public:
    std::int64_t run(int size) override {
        int sum = 0;
        int bits = 0;
        int bit_count = 0;
        for (int y = 0; y < size; y++) {
            const double ci = 2.0 * y / size - 1.0;
            for (int x = 0; x < size; x++) {
                const double cr = 2.0 * x / size - 1.5;
                bits = (bits << 1) + escapes(cr, ci);
                bit_count++;
                if (bit_count == 8) {
                    sum ^= bits;
                    bits = 0;
                    bit_count = 0;
                } else if (x == size - 1) {
                    sum ^= bits << (8 - bit_count);
                    bits = 0;
                    bit_count = 0;
                }
            }
        }
        return sum;
    }

private:
    static constexpr int iterations = 50;
    static constexpr double limit = 4.0;

    // 1 if the point leaves the circle, else 0.
    static int escapes(double cr, double ci) {
        double zrzr = 0.0;
        double zi = 0.0;
        double zizi = 0.0;
        for (int z = 0; z < iterations; z++) {
            counts.steps++;  // tick
            const double zr = zrzr - zizi + cr;
            zi = 2.0 * zr * zi + ci;
            zrzr = zr * zr;
            zizi = zi * zi;
            if (zrzr + zizi > limit)
                return 1;
        }
        return 0;
    }
};

}  // namespace awfy
