// Balls that bounce off the walls of a box.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "benchmark.hpp"
#include "counts.hpp"
#include "random.hpp"

namespace awfy {

class Bounce final : public Benchmark {
public:
    std::int64_t once() override {
        const auto random = std::make_unique<Random>();
        const auto all = std::make_unique<std::unique_ptr<Ball>[]>(balls);
        for (int i = 0; i < balls; i++)
            all[i] = std::make_unique<Ball>(*random);
        int bounces = 0;
        for (int frame = 0; frame < frames; frame++) {
            for (int i = 0; i < balls; i++) {
                if (all[i]->bounce())
                    bounces++;
            }
        }
        return bounces;
    }

private:
    static constexpr int balls = 100;
    static constexpr int frames = 50;
    static constexpr int limit = 500;

    class Ball {
    public:
        explicit Ball(Random& random) {
            x_ = random.next() % limit;
            y_ = random.next() % limit;
            x_velocity_ = random.next() % 300 - 150;
            y_velocity_ = random.next() % 300 - 150;
        }

        // Moves the ball; whether it met a wall.
        bool bounce() {
            counts.steps++;  // tick
            bool bounced = false;
            x_ += x_velocity_;
            y_ += y_velocity_;
            if (x_ > limit) {
                x_ = limit;
                x_velocity_ = -std::abs(x_velocity_);
                bounced = true;
            }
            if (x_ < 0) {
                x_ = 0;
                x_velocity_ = std::abs(x_velocity_);
                bounced = true;
            }
            if (y_ > limit) {
                y_ = limit;
                y_velocity_ = -std::abs(y_velocity_);
                bounced = true;
            }
            if (y_ < 0) {
                y_ = 0;
                y_velocity_ = std::abs(y_velocity_);
                bounced = true;
            }
            return bounced;
        }

    private:
        int x_;
        int y_;
        int x_velocity_;
        int y_velocity_;
    };
};

}  // namespace awfy
