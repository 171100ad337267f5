// Finds the aircraft that come too close to each other from one frame to the next.

#pragma once

#include <memory>
#include <utility>

#include "counts.hpp"
#include "motion.hpp"
#include "red_black_tree.hpp"
#include "vector.hpp"
#include "vector_2d.hpp"
#include "vector_3d.hpp"

namespace awfy {

class Detector {
public:
    using CallSign = Motion::CallSign;

    struct Aircraft {
        const CallSign* const sign;
        const std::shared_ptr<const Vector3D> place;

        Aircraft(const CallSign* sign, std::shared_ptr<const Vector3D> place)
            : sign(sign), place(std::move(place)) {}
    };

    struct Collision {
        const CallSign* const one;
        const CallSign* const other;
        const std::unique_ptr<const Vector3D> place;

        Collision(const CallSign* one, const CallSign* other, std::unique_ptr<const Vector3D> place)
            : one(one), other(other), place(std::move(place)) {}
    };

    using Frame = Vector<std::unique_ptr<Aircraft>>;
    using Collisions = Vector<std::unique_ptr<Collision>>;

    std::unique_ptr<Collisions> collisions(const Frame& frame) {
        const auto motions = this->motions(frame);
        auto collisions = std::make_unique<Collisions>();
        crowds(*motions)->for_each([&](const std::shared_ptr<Crowd>& crowd) {
            for (int i = 0; i < crowd->size(); i++) {
                const Motion* const one = crowd->at(i);
                for (int j = i + 1; j < crowd->size(); j++) {
                    const Motion* const other = crowd->at(j);
                    auto place = one->intersection(*other);
                    if (place != nullptr) {
                        collisions->append(
                            std::make_unique<Collision>(one->sign, other->sign, std::move(place)));
                    }
                }
            }
        });
        return collisions;
    }

private:
    using Motions = Vector<std::unique_ptr<Motion>>;
    using Crowd = Vector<const Motion*>;
    // The voxels' tree and the vector of crowds have the same crowd, and two trees the same voxel.
    using Crowds = Vector<std::shared_ptr<Crowd>>;
    using Voxel = std::shared_ptr<const Vector2D>;
    using Voxels = RedBlackTree<Voxel, std::shared_ptr<Crowd>>;
    using Seen = RedBlackTree<Voxel, bool>;

    static constexpr double voxel_size = 2.0 * Motion::radius;
    static inline const Vector2D right{voxel_size, 0.0};
    static inline const Vector2D up{0.0, voxel_size};

    // Since the last frame; aircraft that are gone are forgotten.
    std::unique_ptr<Motions> motions(const Frame& frame) {
        auto motions = std::make_unique<Motions>();
        const auto seen = std::make_unique<RedBlackTree<const CallSign*, bool>>();
        frame.for_each([&](const std::unique_ptr<Aircraft>& aircraft) {
            const auto& place = aircraft->place;
            const auto old = places_->put(aircraft->sign, place);
            seen->put(aircraft->sign, true);
            motions->append(
                std::make_unique<Motion>(aircraft->sign, old == nullptr ? place : old, place));
        });
        const auto gone = std::make_unique<Vector<const CallSign*>>();
        places_->for_each([&](const CallSign* sign, const std::shared_ptr<const Vector3D>&) {
            if (!seen->get(sign))
                gone->append(sign);
        });
        gone->for_each([this](const CallSign* sign) { places_->remove(sign); });
        return motions;
    }

    // The motions that share a voxel.
    static std::unique_ptr<Crowds> crowds(const Motions& motions) {
        const auto voxels = std::make_unique<Voxels>();
        motions.for_each([&](const std::unique_ptr<Motion>& motion) {
            draw(*motion, voxel_of(*motion->start), *voxels, *std::make_unique<Seen>());
        });
        auto crowds = std::make_unique<Crowds>();
        voxels->for_each([&](const Voxel&, const std::shared_ptr<Crowd>& inside) {
            if (inside->size() > 1)
                crowds->append(inside);
        });
        return crowds;
    }

    static Voxel voxel_of(const Vector3D& place) {
        const double x = voxel_size * static_cast<int>(place.x / voxel_size);
        const double y = voxel_size * static_cast<int>(place.y / voxel_size);
        return std::make_shared<const Vector2D>(place.x < 0.0 ? x - voxel_size : x,
                                                place.y < 0.0 ? y - voxel_size : y);
    }

    // Puts a motion into a voxel and into all others that it passes.
    static void draw(const Motion& motion, const Voxel& voxel, Voxels& voxels, Seen& seen) {
        counts.steps++;  // tick
        if (!passes(motion, *voxel) || seen.put(voxel, true))
            return;
        auto inside = voxels.get(voxel);
        if (inside == nullptr) {
            inside = std::make_shared<Crowd>();
            voxels.put(voxel, inside);
        }
        inside->append(&motion);
        draw(motion, voxel->minus(right), voxels, seen);
        draw(motion, voxel->plus(right), voxels, seen);
        draw(motion, voxel->minus(up), voxels, seen);
        draw(motion, voxel->plus(up), voxels, seen);
        draw(motion, voxel->minus(right)->minus(up), voxels, seen);
        draw(motion, voxel->minus(right)->plus(up), voxels, seen);
        draw(motion, voxel->plus(right)->minus(up), voxels, seen);
        draw(motion, voxel->plus(right)->plus(up), voxels, seen);
    }

    static bool passes(const Motion& motion, const Vector2D& voxel) {
        if (voxel.x > Motion::most || voxel.x < Motion::least || voxel.y > Motion::most ||
            voxel.y < Motion::least)
            return false;
        const double margin = Motion::radius / 2.0;
        const double x = motion.start->x;
        const double dx = motion.end->x - x;
        double low_x = (voxel.x - margin - x) / dx;
        double high_x = (voxel.x + voxel_size + margin - x) / dx;
        if (dx < 0.0)
            std::swap(low_x, high_x);
        const double y = motion.start->y;
        const double dy = motion.end->y - y;
        double low_y = (voxel.y - margin - y) / dy;
        double high_y = (voxel.y + voxel_size + margin - y) / dy;
        if (dy < 0.0)
            std::swap(low_y, high_y);
        return meets(dx, x, voxel.x, margin, low_x, high_x) &&
               meets(dy, y, voxel.y, margin, low_y, high_y) &&
               (dx == 0.0 || dy == 0.0 || (low_y <= high_x && high_x <= high_y) ||
                (low_y <= low_x && low_x <= high_y) || (low_x <= low_y && high_y <= high_x));
    }

    // In one dimension: without a movement by the place, else by the time.
    static bool meets(double movement, double start, double voxel, double margin, double low,
                      double high) {
        return (movement == 0.0 && voxel <= start + margin &&
                start - margin <= voxel + voxel_size) ||
               (low <= 1.0 && 1.0 <= high) || (low <= 0.0 && 0.0 <= high) ||
               (0.0 <= low && high <= 1.0);
    }

    const std::unique_ptr<RedBlackTree<const CallSign*, std::shared_ptr<const Vector3D>>> places_ =
        std::make_unique<RedBlackTree<const CallSign*, std::shared_ptr<const Vector3D>>>();
};

}  // namespace awfy
