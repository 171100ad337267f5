// An aircraft's way from one frame to the next.

#pragma once

#include <cmath>
#include <memory>
#include <utility>

#include "counts.hpp"
#include "red_black_tree.hpp"
#include "vector_3d.hpp"

namespace awfy {

class Motion {
public:
    static constexpr double radius = 1.0;   // of what is too close
    static constexpr double least = 0.0;    // of x, y and z
    static constexpr double most = 1000.0;  // of x and y

    // Aircraft are in order of their numbers.
    struct CallSign final : Comparable<CallSign> {
        const int number;

        explicit CallSign(int number) : number(number) {}

        int compare_to(const CallSign& other) const override {
            if (number == other.number)
                return 0;
            return number < other.number ? -1 : 1;
        }
    };

    const CallSign* const sign;
    const std::shared_ptr<const Vector3D> start;
    const std::shared_ptr<const Vector3D> end;

    Motion(const CallSign* sign, std::shared_ptr<const Vector3D> start,
           std::shared_ptr<const Vector3D> end)
        : sign(sign), start(std::move(start)), end(std::move(end)) {}

    // The place where two aircraft come too close, or null.
    std::unique_ptr<const Vector3D> intersection(const Motion& other) const {
        counts.steps++;  // tick
        const auto movement = delta();
        const auto other_movement = other.delta();
        const double a = other_movement->minus(*movement)->squared_magnitude();
        if (a == 0.0) {  // they keep their distance
            return other.start->minus(*start)->magnitude() <= radius
                       ? start->plus(*other.start)->times(0.5)
                       : nullptr;
        }
        const double b = 2.0 * start->minus(*other.start)->dot(*movement->minus(*other_movement));
        const double c = -radius * radius + other.start->minus(*start)->squared_magnitude();
        const double discriminant = b * b - 4.0 * a * c;
        if (discriminant < 0.0)
            return nullptr;
        const double from = (-b - std::sqrt(discriminant)) / (2.0 * a);
        const double until = (-b + std::sqrt(discriminant)) / (2.0 * a);
        if (from <= until && ((from <= 1.0 && 1.0 <= until) || (from <= 0.0 && 0.0 <= until) ||
                              (0.0 <= from && until <= 1.0))) {
            const double time = from <= 0.0 ? 0.0 : from;
            auto place = start->plus(*movement->times(time))
                             ->plus(*other.start->plus(*other_movement->times(time)))
                             ->times(0.5);
            return is_inside(*place) ? std::move(place) : nullptr;
        }
        return nullptr;
    }

private:
    static constexpr double most_z = 10.0;

    std::unique_ptr<const Vector3D> delta() const { return end->minus(*start); }

    static bool is_inside(const Vector3D& place) {
        return place.x >= least && place.x <= most && place.y >= least && place.y <= most &&
               place.z >= least && place.z <= most_z;
    }
};

}  // namespace awfy
