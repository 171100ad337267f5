package awfy;

/** Loops of a flow graph; the answer is the number of loops times 10000, and of blocks. */
final class Havlak extends Benchmark.Sized {
    private static final int SEARCHES = 50;
    private static final int NESTED = 5;

    private final int parallel;

    Havlak(int parallel) { this.parallel = parallel; }

    @Override
    long run(int repetitions) {
        var graph = new FlowGraph();
        var structure = new LoopStructure();
        graph.block(0);
        graph.addLoops(0);
        graph.block(1);
        graph.connect(0, 2);
        for (int i = 0; i < repetitions; i++) {
            new LoopFinder(graph, structure).findLoops();
        }
        addTrees(graph);
        new LoopFinder(graph, structure).findLoops();
        for (int i = 0; i < SEARCHES; i++) {
            new LoopFinder(graph, new LoopStructure()).findLoops();
        }
        structure.nest();
        return structure.size() * 10_000L + graph.size();
    }

    private void addTrees(FlowGraph graph) {
        int n = 2;
        for (int i = 0; i < parallel; i++) {
            graph.block(n + 1);
            graph.connect(2, n + 1);
            n++;
            for (int j = 0; j < parallel; j++) {
                int top = n;
                n = graph.addStraight(n, 1);
                for (int k = 0; k < NESTED; k++) {
                    n = graph.addLoops(n);
                }
                int bottom = graph.addStraight(n, 1);
                graph.connect(n, top);
                n = bottom;
            }
            graph.connect(n, 1);
        }
    }
}
