// A place in the plane; places are in order of x, then of y.

#pragma once

#include <memory>

#include "red_black_tree.hpp"

namespace awfy {

class Vector2D final : public Comparable<Vector2D> {
public:
    const double x;
    const double y;

    Vector2D(double x, double y) : x(x), y(y) {}

    // Two trees may have the same place.
    std::shared_ptr<const Vector2D> plus(const Vector2D& other) const {
        return std::make_shared<const Vector2D>(x + other.x, y + other.y);
    }

    std::shared_ptr<const Vector2D> minus(const Vector2D& other) const {
        return std::make_shared<const Vector2D>(x - other.x, y - other.y);
    }

    int compare_to(const Vector2D& other) const override {
        const int order = compare(x, other.x);
        return order != 0 ? order : compare(y, other.y);
    }

private:
    static int compare(double one, double other) {
        if (one == other)
            return 0;
        return one < other ? -1 : 1;
    }
};

}  // namespace awfy
