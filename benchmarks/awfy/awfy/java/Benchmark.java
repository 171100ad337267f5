package awfy;

/** One of the fourteen. */
abstract class Benchmark {
    /** Does the work once; the answer of contract.md. */
    abstract long once();

    /** Does the work `inner` times, or once at that size. */
    long run(int inner) {
        long sum = 0;
        for (int i = 0; i < inner; i++) {
            sum += once();
        }
        return sum;
    }

    /** A benchmark whose `inner` is a size. */
    abstract static class Sized extends Benchmark {
        @Override
        final long once() { throw new UnsupportedOperationException(); }

        @Override
        abstract long run(int inner);
    }
}
