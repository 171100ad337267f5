// The sun and its four largest planets; the answer is their energy after `inner` steps.

#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>

#include "benchmark.hpp"
#include "counts.hpp"

namespace awfy {

class NBody final : public Benchmark::Sized {
public:
    std::int64_t run(int steps) override {
        const auto bodies = make_bodies();
        for (int i = 0; i < steps; i++)
            advance(bodies);
        return static_cast<std::int64_t>(energy(bodies) * scale);
    }

private:
    static constexpr int count = 5;
    static constexpr double solar_mass = 4 * std::numbers::pi * std::numbers::pi;
    static constexpr double days_a_year = 365.24;
    static constexpr double step = 0.01;
    static constexpr double scale = 1e16;

    struct Body {
        double x;
        double y;
        double z;
        double vx;
        double vy;
        double vz;
        const double mass;

        Body(double x, double y, double z, double vx, double vy, double vz, double mass)
            : x(x),
              y(y),
              z(z),
              vx(vx * days_a_year),
              vy(vy * days_a_year),
              vz(vz * days_a_year),
              mass(mass * solar_mass) {}
    };

    using Bodies = std::unique_ptr<std::unique_ptr<Body>[]>;

    static Bodies make_bodies() {
        auto bodies = std::make_unique<std::unique_ptr<Body>[]>(count);
        bodies[0] = std::make_unique<Body>(0, 0, 0, 0, 0, 0, 1);
        bodies[1] = std::make_unique<Body>(
            4.841431442464721, -1.1603200440274284, -0.10362204447112311, 0.001660076642744037,
            0.007699011184197404, -6.90460016972063e-05, 0.0009547919384243266);  // Jupiter
        bodies[2] = std::make_unique<Body>(
            8.34336671824458, 4.124798564124305, -0.4035234171143214, -0.002767425107268624,
            0.004998528012349172, 2.3041729757376393e-05, 0.0002858859806661308);  // Saturn
        bodies[3] = std::make_unique<Body>(
            12.894369562139131, -15.111151401698631, -0.22330757889265573, 0.002964601375647616,
            0.0023784717395948095, -2.9658956854023756e-05, 4.366244043351563e-05);  // Uranus
        bodies[4] = std::make_unique<Body>(
            15.379697114850917, -25.919314609987964, 0.17925877295037118, 0.0026806777249038932,
            0.001628241700382423, -9.515922545197159e-05, 5.1513890204661145e-05);  // Neptune
        double px = 0.0;
        double py = 0.0;
        double pz = 0.0;
        for (int i = 0; i < count; i++) {
            const Body& body = *bodies[i];
            px += body.vx * body.mass;
            py += body.vy * body.mass;
            pz += body.vz * body.mass;
        }
        bodies[0]->vx = -px / solar_mass;
        bodies[0]->vy = -py / solar_mass;
        bodies[0]->vz = -pz / solar_mass;
        return bodies;
    }

    static void advance(const Bodies& bodies) {
        for (int i = 0; i < count; i++) {
            Body& one = *bodies[i];
            for (int j = i + 1; j < count; j++) {
                counts.steps++;  // tick
                Body& other = *bodies[j];
                const double dx = one.x - other.x;
                const double dy = one.y - other.y;
                const double dz = one.z - other.z;
                const double squared = dx * dx + dy * dy + dz * dz;
                const double magnitude = step / (squared * std::sqrt(squared));
                one.vx -= dx * other.mass * magnitude;
                one.vy -= dy * other.mass * magnitude;
                one.vz -= dz * other.mass * magnitude;
                other.vx += dx * one.mass * magnitude;
                other.vy += dy * one.mass * magnitude;
                other.vz += dz * one.mass * magnitude;
            }
        }
        for (int i = 0; i < count; i++) {
            Body& body = *bodies[i];
            body.x += step * body.vx;
            body.y += step * body.vy;
            body.z += step * body.vz;
        }
    }

    static double energy(const Bodies& bodies) {
        double energy = 0.0;
        for (int i = 0; i < count; i++) {
            const Body& one = *bodies[i];
            energy += 0.5 * one.mass * (one.vx * one.vx + one.vy * one.vy + one.vz * one.vz);
            for (int j = i + 1; j < count; j++) {
                const Body& other = *bodies[j];
                const double dx = one.x - other.x;
                const double dy = one.y - other.y;
                const double dz = one.z - other.z;
                energy -= one.mass * other.mass / std::sqrt(dx * dx + dy * dy + dz * dz);
            }
        }
        return energy;
    }
};

}  // namespace awfy
