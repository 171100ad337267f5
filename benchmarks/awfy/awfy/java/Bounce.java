package awfy;

/** Balls that bounce off the walls of a box. */
final class Bounce extends Benchmark {
    private static final int BALLS = 100;
    private static final int FRAMES = 50;
    private static final int LIMIT = 500;

    @Override
    long once() {
        var random = new Random();
        var balls = new Ball[BALLS];
        for (int i = 0; i < BALLS; i++) {
            balls[i] = new Ball(random);
        }
        int bounces = 0;
        for (int frame = 0; frame < FRAMES; frame++) {
            for (var ball : balls) {
                if (ball.bounce()) {
                    bounces++;
                }
            }
        }
        return bounces;
    }

    private static final class Ball {
        private int x;
        private int y;
        private int xVelocity;
        private int yVelocity;

        Ball(Random random) {
            x = random.next() % LIMIT;
            y = random.next() % LIMIT;
            xVelocity = random.next() % 300 - 150;
            yVelocity = random.next() % 300 - 150;
        }

        /** Moves the ball; whether it met a wall. */
        boolean bounce() {
            Counts.steps++; // tick
            boolean bounced = false;
            x += xVelocity;
            y += yVelocity;
            if (x > LIMIT) {
                x = LIMIT;
                xVelocity = -Math.abs(xVelocity);
                bounced = true;
            }
            if (x < 0) {
                x = 0;
                xVelocity = Math.abs(xVelocity);
                bounced = true;
            }
            if (y > LIMIT) {
                y = LIMIT;
                yVelocity = -Math.abs(yVelocity);
                bounced = true;
            }
            if (y < 0) {
                y = 0;
                yVelocity = Math.abs(yVelocity);
                bounced = true;
            }
            return bounced;
        }
    }
}
