// Collision detection; the answer is the collisions of `inner` aircraft in 200 frames.

#pragma once

#include <cmath>
#include <cstdint>
#include <memory>

#include "benchmark.hpp"
#include "detector.hpp"
#include "motion.hpp"
#include "vector.hpp"
#include "vector_3d.hpp"

namespace awfy {

class CD final : public Benchmark::Sized {
public:
    std::int64_t run(int aircraft) override {
        const auto signs = std::make_unique<Signs>();
        for (int i = 0; i < aircraft; i++)
            signs->append(std::make_unique<Motion::CallSign>(i));
        const auto detector = std::make_unique<Detector>();
        std::int64_t collisions = 0;
        for (int i = 0; i < frames; i++)
            collisions += detector->collisions(*frame(*signs, i / 10.0))->size();
        return collisions;
    }

private:
    using Signs = Vector<std::unique_ptr<Motion::CallSign>>;

    static constexpr int frames = 200;

    // Pairs of aircraft that fly along waves, which meet.
    static std::unique_ptr<Detector::Frame> frame(const Signs& signs, double time) {
        auto frame = std::make_unique<Detector::Frame>();
        for (int i = 0; i < signs.size(); i += 2) {
            frame->append(std::make_unique<Detector::Aircraft>(
                signs.at(i).get(),
                std::make_shared<const Vector3D>(time, std::cos(time) * 2.0 + i * 3.0, 10.0)));
            frame->append(std::make_unique<Detector::Aircraft>(
                signs.at(i + 1).get(),
                std::make_shared<const Vector3D>(time, std::sin(time) * 2.0 + i * 3.0, 10.0)));
        }
        return frame;
    }
};

}  // namespace awfy
