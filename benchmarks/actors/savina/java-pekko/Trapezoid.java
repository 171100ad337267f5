package actors;

import org.apache.pekko.actor.ActorRef;

/** Workers compute the parts of an integral by the trapezoidal rule. */
final class Trapezoid implements Savina.Benchmark {
    private static final double FROM = 1.0;
    private static final double TO = 5.0;
    private static final double SCALE = 1e9;

    private record Start(ActorRef[] workers) {}

    private record Part(double from, int pieces, double width) {}

    private record Result(long area) {}

    private static final class Master extends Member {
        private final int pieces;
        private int left;
        private long sum;

        Master(Stage stage) {
            super(stage);
            pieces = Math.max(1, stage.amount() / stage.actors());
            left = stage.actors();
        }

        @Override
        void receive(Object message) {
            if (message instanceof Start start) {
                double length = (TO - FROM) / start.workers.length;
                for (int i = 0; i < start.workers.length; i++) {
                    var part = new Part(FROM + i * length, pieces, length / pieces);
                    send(start.workers[i], part);
                }
            } else if (message instanceof Result result) {
                sum += result.area;
                left--;
                if (left == 0) {
                    end(sum);
                }
            }
        }
    }

    private static final class Worker extends Member {
        Worker(Stage stage) { super(stage); }

        @Override
        void receive(Object message) {
            if (message instanceof Part part) {
                double area = 0;
                for (int i = 0; i < part.pieces; i++) {
                    double x = part.from + i * part.width;
                    area += 0.5 * (f(x) + f(x + part.width)) * part.width;
                }
                reply(new Result((long) (area * SCALE)));
                end(0);
            }
        }

        private static double f(double x) {
            double rising = Math.sqrt(1 + Math.exp(Math.sqrt(2 * x)));
            return 1 / (x + 1) * rising * Math.sin(x * x * x - 1);
        }
    }

    @Override
    public int start(Stage stage) {
        var workers = stage.actors(stage.actors(), i -> new Worker(stage));
        var master = stage.actor(() -> new Master(stage));
        master.tell(new Start(workers), ActorRef.noSender());
        return 1 + workers.length;
    }
}
