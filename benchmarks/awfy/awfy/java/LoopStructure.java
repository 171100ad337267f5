package awfy;

/** The loops that were found, and which of them is in which. */
final class LoopStructure {
    static final class Loop {
        final FlowGraph.Block header;
        final boolean isReducible;
        private final int number;
        private boolean isRoot;
        private int nesting;
        private int depth;
        private Loop parent;
        private final Set<FlowGraph.Block> blocks = new Set.Identity<>();
        private final Set<Loop> children = new Set.Identity<>();

        Loop(FlowGraph.Block header, boolean isReducible, int number) {
            this.header = header;
            this.isReducible = isReducible;
            this.number = number;
            if (header != null) {
                blocks.add(header);
            }
        }

        void add(FlowGraph.Block block) { blocks.add(block); }

        void putInto(Loop outer) {
            parent = outer;
            outer.children.add(this);
        }

        private void setNesting(int level) {
            nesting = level;
            if (level == 0) {
                isRoot = true;
            }
        }
    }

    private final Vector<Loop> loops = new Vector<>();
    private final Loop root = new Loop(null, true, 0);
    private int last;

    LoopStructure() {
        root.setNesting(0);
        loops.append(root);
    }

    int size() { return loops.size(); }

    Loop add(FlowGraph.Block header, boolean isReducible) {
        last++;
        var loop = new Loop(header, isReducible, last);
        loops.append(loop);
        return loop;
    }

    /** Puts loops that are in no other into the root, and computes how deep all are nested. */
    void nest() {
        loops.forEach(loop -> {
            if (!loop.isRoot && loop.parent == null) {
                loop.putInto(root);
            }
        });
        nest(root, 0);
    }

    private void nest(Loop loop, int depth) {
        loop.depth = depth;
        loop.children.forEach(child -> {
            nest(child, depth + 1);
            loop.setNesting(Math.max(loop.nesting, 1 + child.nesting));
        });
    }
}
