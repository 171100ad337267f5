package awfy;

/** A place or a movement in space. */
final class Vector3D {
    final double x;
    final double y;
    final double z;

    Vector3D(double x, double y, double z) {
        this.x = x;
        this.y = y;
        this.z = z;
    }

    Vector3D plus(Vector3D other) { return new Vector3D(x + other.x, y + other.y, z + other.z); }

    Vector3D minus(Vector3D other) { return new Vector3D(x - other.x, y - other.y, z - other.z); }

    Vector3D times(double factor) { return new Vector3D(factor * x, factor * y, factor * z); }

    double dot(Vector3D other) { return x * other.x + y * other.y + z * other.z; }

    double squaredMagnitude() { return dot(this); }

    double magnitude() { return Math.sqrt(squaredMagnitude()); }
}
