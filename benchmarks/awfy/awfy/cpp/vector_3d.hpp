// A place or a movement in space.

#pragma once

#include <cmath>
#include <memory>

namespace awfy {

class Vector3D {
public:
    const double x;
    const double y;
    const double z;

    Vector3D(double x, double y, double z) : x(x), y(y), z(z) {}

    std::unique_ptr<const Vector3D> plus(const Vector3D& other) const {
        return std::make_unique<const Vector3D>(x + other.x, y + other.y, z + other.z);
    }

    std::unique_ptr<const Vector3D> minus(const Vector3D& other) const {
        return std::make_unique<const Vector3D>(x - other.x, y - other.y, z - other.z);
    }

    std::unique_ptr<const Vector3D> times(double factor) const {
        return std::make_unique<const Vector3D>(factor * x, factor * y, factor * z);
    }

    double dot(const Vector3D& other) const { return x * other.x + y * other.y + z * other.z; }

    double squared_magnitude() const { return dot(*this); }

    double magnitude() const { return std::sqrt(squared_magnitude()); }
};

}  // namespace awfy
