package awfy;

/** The sun and its four largest planets; the answer is their energy after `inner` steps. */
final class NBody extends Benchmark.Sized {
    private static final double SOLAR_MASS = 4 * Math.PI * Math.PI;
    private static final double DAYS_A_YEAR = 365.24;
    private static final double STEP = 0.01;
    private static final double SCALE = 1e16;

    private static final class Body {
        double x;
        double y;
        double z;
        double vx;
        double vy;
        double vz;
        final double mass;

        Body(double x, double y, double z, double vx, double vy, double vz, double mass) {
            this.x = x;
            this.y = y;
            this.z = z;
            this.vx = vx * DAYS_A_YEAR;
            this.vy = vy * DAYS_A_YEAR;
            this.vz = vz * DAYS_A_YEAR;
            this.mass = mass * SOLAR_MASS;
        }
    }

    @Override
    long run(int steps) {
        var bodies = bodies();
        for (int i = 0; i < steps; i++) {
            advance(bodies);
        }
        return (long) (energy(bodies) * SCALE);
    }

    private static Body[] bodies() {
        Body[] bodies = {
            new Body(0, 0, 0, 0, 0, 0, 1),
            new Body(4.841431442464721, -1.1603200440274284, -0.10362204447112311,
                    0.001660076642744037, 0.007699011184197404, -6.90460016972063e-05,
                    0.0009547919384243266), // Jupiter
            new Body(8.34336671824458, 4.124798564124305, -0.4035234171143214,
                    -0.002767425107268624, 0.004998528012349172, 2.3041729757376393e-05,
                    0.0002858859806661308), // Saturn
            new Body(12.894369562139131, -15.111151401698631, -0.22330757889265573,
                    0.002964601375647616, 0.0023784717395948095, -2.9658956854023756e-05,
                    4.366244043351563e-05), // Uranus
            new Body(15.379697114850917, -25.919314609987964, 0.17925877295037118,
                    0.0026806777249038932, 0.001628241700382423, -9.515922545197159e-05,
                    5.1513890204661145e-05), // Neptune
        };
        double px = 0.0;
        double py = 0.0;
        double pz = 0.0;
        for (var body : bodies) {
            px += body.vx * body.mass;
            py += body.vy * body.mass;
            pz += body.vz * body.mass;
        }
        bodies[0].vx = -px / SOLAR_MASS;
        bodies[0].vy = -py / SOLAR_MASS;
        bodies[0].vz = -pz / SOLAR_MASS;
        return bodies;
    }

    private static void advance(Body[] bodies) {
        for (int i = 0; i < bodies.length; i++) {
            var one = bodies[i];
            for (int j = i + 1; j < bodies.length; j++) {
                Counts.steps++; // tick
                var other = bodies[j];
                double dx = one.x - other.x;
                double dy = one.y - other.y;
                double dz = one.z - other.z;
                double squared = dx * dx + dy * dy + dz * dz;
                double magnitude = STEP / (squared * Math.sqrt(squared));
                one.vx -= dx * other.mass * magnitude;
                one.vy -= dy * other.mass * magnitude;
                one.vz -= dz * other.mass * magnitude;
                other.vx += dx * one.mass * magnitude;
                other.vy += dy * one.mass * magnitude;
                other.vz += dz * one.mass * magnitude;
            }
        }
        for (var body : bodies) {
            body.x += STEP * body.vx;
            body.y += STEP * body.vy;
            body.z += STEP * body.vz;
        }
    }

    private static double energy(Body[] bodies) {
        double energy = 0.0;
        for (int i = 0; i < bodies.length; i++) {
            var one = bodies[i];
            energy += 0.5 * one.mass * (one.vx * one.vx + one.vy * one.vy + one.vz * one.vz);
            for (int j = i + 1; j < bodies.length; j++) {
                var other = bodies[j];
                double dx = one.x - other.x;
                double dy = one.y - other.y;
                double dz = one.z - other.z;
                energy -= one.mass * other.mass / Math.sqrt(dx * dx + dy * dy + dz * dz);
            }
        }
        return energy;
    }
}
