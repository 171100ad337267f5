package awfy;

/** Collision detection; the answer is the collisions of `inner` aircraft in 200 frames. */
final class CD extends Benchmark.Sized {
    private static final int FRAMES = 200;

    @Override
    long run(int aircraft) {
        var signs = new Vector<Motion.CallSign>();
        for (int i = 0; i < aircraft; i++) {
            signs.append(new Motion.CallSign(i));
        }
        var detector = new Detector();
        long collisions = 0;
        for (int i = 0; i < FRAMES; i++) {
            collisions += detector.collisions(frame(signs, i / 10.0)).size();
        }
        return collisions;
    }

    /** Pairs of aircraft that fly along waves, which meet. */
    private static Vector<Detector.Aircraft> frame(Vector<Motion.CallSign> signs, double time) {
        var frame = new Vector<Detector.Aircraft>();
        for (int i = 0; i < signs.size(); i += 2) {
            frame.append(new Detector.Aircraft(signs.at(i),
                    new Vector3D(time, Math.cos(time) * 2.0 + i * 3.0, 10.0)));
            frame.append(new Detector.Aircraft(signs.at(i + 1),
                    new Vector3D(time, Math.sin(time) * 2.0 + i * 3.0, 10.0)));
        }
        return frame;
    }
}
