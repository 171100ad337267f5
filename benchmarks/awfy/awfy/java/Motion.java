package awfy;

/** An aircraft's way from one frame to the next. */
final class Motion {
    static final double RADIUS = 1.0; // of what is too close
    static final double LEAST = 0.0; // of x, y and z
    static final double MOST = 1000.0; // of x and y
    private static final double MOST_Z = 10.0;

    final CallSign sign;
    final Vector3D start;
    final Vector3D end;

    Motion(CallSign sign, Vector3D start, Vector3D end) {
        this.sign = sign;
        this.start = start;
        this.end = end;
    }

    /** Aircraft are in order of their numbers. */
    record CallSign(int number) implements Comparable<CallSign> {
        @Override
        public int compareTo(CallSign other) {
            if (number == other.number) {
                return 0;
            }
            return number < other.number ? -1 : 1;
        }
    }

    private Vector3D delta() { return end.minus(start); }

    /** The place where two aircraft come too close, or null. */
    Vector3D intersection(Motion other) {
        Counts.steps++; // tick
        var movement = delta();
        var otherMovement = other.delta();
        double a = otherMovement.minus(movement).squaredMagnitude();
        if (a == 0.0) { // they keep their distance
            return other.start.minus(start).magnitude() <= RADIUS
                    ? start.plus(other.start).times(0.5)
                    : null;
        }
        double b = 2.0 * start.minus(other.start).dot(movement.minus(otherMovement));
        double c = -RADIUS * RADIUS + other.start.minus(start).squaredMagnitude();
        double discriminant = b * b - 4.0 * a * c;
        if (discriminant < 0.0) {
            return null;
        }
        double from = (-b - Math.sqrt(discriminant)) / (2.0 * a);
        double until = (-b + Math.sqrt(discriminant)) / (2.0 * a);
        if (from <= until && (from <= 1.0 && 1.0 <= until || from <= 0.0 && 0.0 <= until
                || 0.0 <= from && until <= 1.0)) {
            double time = from <= 0.0 ? 0.0 : from;
            var place = start.plus(movement.times(time))
                    .plus(other.start.plus(otherMovement.times(time)))
                    .times(0.5);
            return isInside(place) ? place : null;
        }
        return null;
    }

    private static boolean isInside(Vector3D place) {
        return place.x >= LEAST && place.x <= MOST && place.y >= LEAST && place.y <= MOST
                && place.z >= LEAST && place.z <= MOST_Z;
    }
}
