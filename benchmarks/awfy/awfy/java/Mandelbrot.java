package awfy;

/** The Mandelbrot set, a bit a pixel; the answer is all its bytes, by exclusive or. */
final class Mandelbrot extends Benchmark.Sized {
    private static final int ITERATIONS = 50;
    private static final double LIMIT = 4.0;

    @Override
    long run(int size) {
        int sum = 0;
        int bits = 0;
        int bitCount = 0;
        for (int y = 0; y < size; y++) {
            double ci = 2.0 * y / size - 1.0;
            for (int x = 0; x < size; x++) {
                double cr = 2.0 * x / size - 1.5;
                bits = (bits << 1) + escapes(cr, ci);
                bitCount++;
                if (bitCount == 8) {
                    sum ^= bits;
                    bits = 0;
                    bitCount = 0;
                } else if (x == size - 1) {
                    sum ^= bits << (8 - bitCount);
                    bits = 0;
                    bitCount = 0;
                }
            }
        }
        return sum;
    }

    /** 1 if the point leaves the circle, else 0. */
    private static int escapes(double cr, double ci) {
        double zrzr = 0.0;
        double zi = 0.0;
        double zizi = 0.0;
        for (int z = 0; z < ITERATIONS; z++) {
            Counts.steps++; // tick
            double zr = zrzr - zizi + cr;
            zi = 2.0 * zr * zi + ci;
            zrzr = zr * zr;
            zizi = zi * zi;
            if (zrzr + zizi > LIMIT) {
                return 1;
            }
        }
        return 0;
    }
}
