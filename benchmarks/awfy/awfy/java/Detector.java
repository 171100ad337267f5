package awfy;

import awfy.Motion.CallSign;

/** Finds the aircraft that come too close to each other from one frame to the next. */
final class Detector {
    private static final double VOXEL = 2.0 * Motion.RADIUS;
    private static final Vector2D RIGHT = new Vector2D(VOXEL, 0.0);
    private static final Vector2D UP = new Vector2D(0.0, VOXEL);

    private final RedBlackTree<CallSign, Vector3D> places = new RedBlackTree<>();

    record Aircraft(CallSign sign, Vector3D place) {}

    record Collision(CallSign one, CallSign other, Vector3D place) {}

    Vector<Collision> collisions(Vector<Aircraft> frame) {
        var motions = motions(frame);
        var collisions = new Vector<Collision>();
        crowds(motions).forEach(crowd -> {
            for (int i = 0; i < crowd.size(); i++) {
                var one = crowd.at(i);
                for (int j = i + 1; j < crowd.size(); j++) {
                    var other = crowd.at(j);
                    var place = one.intersection(other);
                    if (place != null) {
                        collisions.append(new Collision(one.sign, other.sign, place));
                    }
                }
            }
        });
        return collisions;
    }

    /** Since the last frame; aircraft that are gone are forgotten. */
    private Vector<Motion> motions(Vector<Aircraft> frame) {
        var motions = new Vector<Motion>();
        var seen = new RedBlackTree<CallSign, Boolean>();
        frame.forEach(aircraft -> {
            var place = aircraft.place;
            var old = places.put(aircraft.sign, place);
            seen.put(aircraft.sign, true);
            motions.append(new Motion(aircraft.sign, old == null ? place : old, place));
        });
        var gone = new Vector<CallSign>();
        places.forEach((sign, place) -> {
            if (seen.get(sign) == null) {
                gone.append(sign);
            }
        });
        gone.forEach(places::remove);
        return motions;
    }

    /** The motions that share a voxel. */
    private static Vector<Vector<Motion>> crowds(Vector<Motion> motions) {
        var voxels = new RedBlackTree<Vector2D, Vector<Motion>>();
        motions.forEach(motion ->
                draw(motion, voxelOf(motion.start), voxels, new RedBlackTree<>()));
        var crowds = new Vector<Vector<Motion>>();
        voxels.forEach((voxel, inside) -> {
            if (inside.size() > 1) {
                crowds.append(inside);
            }
        });
        return crowds;
    }

    private static Vector2D voxelOf(Vector3D place) {
        double x = VOXEL * (int) (place.x / VOXEL);
        double y = VOXEL * (int) (place.y / VOXEL);
        return new Vector2D(place.x < 0.0 ? x - VOXEL : x, place.y < 0.0 ? y - VOXEL : y);
    }

    /** Puts a motion into a voxel and into all others that it passes. */
    private static void draw(Motion motion, Vector2D voxel,
            RedBlackTree<Vector2D, Vector<Motion>> voxels, RedBlackTree<Vector2D, Boolean> seen) {
        Counts.steps++; // tick
        if (!passes(motion, voxel) || seen.put(voxel, true) != null) {
            return;
        }
        var inside = voxels.get(voxel);
        if (inside == null) {
            inside = new Vector<>();
            voxels.put(voxel, inside);
        }
        inside.append(motion);
        draw(motion, voxel.minus(RIGHT), voxels, seen);
        draw(motion, voxel.plus(RIGHT), voxels, seen);
        draw(motion, voxel.minus(UP), voxels, seen);
        draw(motion, voxel.plus(UP), voxels, seen);
        draw(motion, voxel.minus(RIGHT).minus(UP), voxels, seen);
        draw(motion, voxel.minus(RIGHT).plus(UP), voxels, seen);
        draw(motion, voxel.plus(RIGHT).minus(UP), voxels, seen);
        draw(motion, voxel.plus(RIGHT).plus(UP), voxels, seen);
    }

    private static boolean passes(Motion motion, Vector2D voxel) {
        if (voxel.x > Motion.MOST || voxel.x < Motion.LEAST || voxel.y > Motion.MOST
                || voxel.y < Motion.LEAST) {
            return false;
        }
        double margin = Motion.RADIUS / 2.0;
        double x = motion.start.x;
        double dx = motion.end.x - x;
        double lowX = (voxel.x - margin - x) / dx;
        double highX = (voxel.x + VOXEL + margin - x) / dx;
        if (dx < 0.0) {
            double low = lowX;
            lowX = highX;
            highX = low;
        }
        double y = motion.start.y;
        double dy = motion.end.y - y;
        double lowY = (voxel.y - margin - y) / dy;
        double highY = (voxel.y + VOXEL + margin - y) / dy;
        if (dy < 0.0) {
            double low = lowY;
            lowY = highY;
            highY = low;
        }
        return meets(dx, x, voxel.x, margin, lowX, highX)
                && meets(dy, y, voxel.y, margin, lowY, highY)
                && (dx == 0.0 || dy == 0.0 || lowY <= highX && highX <= highY
                        || lowY <= lowX && lowX <= highY || lowX <= lowY && highY <= highX);
    }

    /** In one dimension: without a movement by the place, else by the time. */
    private static boolean meets(double movement, double start, double voxel, double margin,
            double low, double high) {
        return movement == 0.0 && voxel <= start + margin && start - margin <= voxel + VOXEL
                || low <= 1.0 && 1.0 <= high || low <= 0.0 && 0.0 <= high
                || 0.0 <= low && high <= 1.0;
    }
}
