package awfy;

/** A program's control flow: basic blocks and the edges between them. */
final class FlowGraph {
    static final class Block implements IdentityDictionary.Hashed {
        private final int name;
        final Vector<Block> inward = new Vector<>();
        final Vector<Block> outward = new Vector<>();

        private Block(int name) { this.name = name; }

        @Override
        public int hash() { return name; }
    }

    private static final class Edge {
        final Block from;
        final Block to;

        Edge(Block from, Block to) {
            this.from = from;
            this.to = to;
            from.outward.append(to);
            to.inward.append(from);
        }
    }

    final Vector<Block> blocks = new Vector<>();
    private final Vector<Edge> edges = new Vector<>();
    /** The first block that was made, or null. */
    Block start;

    int size() { return blocks.size(); }

    /** The block of that name, which is made if there is none. */
    Block block(int name) {
        var block = blocks.at(name);
        if (block == null) {
            block = new Block(name);
            blocks.put(name, block);
        }
        if (size() == 1) {
            start = block;
        }
        return block;
    }

    void connect(int from, int to) { edges.append(new Edge(block(from), block(to))); }

    /** Two ways from a block to another one, whose name is the answer. */
    int addDiamond(int from) {
        connect(from, from + 1);
        connect(from, from + 2);
        connect(from + 1, from + 3);
        connect(from + 2, from + 3);
        return from + 3;
    }

    int addStraight(int from, int length) {
        for (int i = 0; i < length; i++) {
            connect(from + i, from + i + 1);
        }
        return from + length;
    }

    /** Two loops side by side in a third one; the name of the block after them. */
    int addLoops(int from) {
        int header = addStraight(from, 1);
        int first = addDiamond(header);
        int between = addStraight(first, 1);
        int second = addDiamond(between);
        int footer = addStraight(second, 1);
        connect(second, between);
        connect(first, header);
        connect(footer, from);
        return addStraight(footer, 1);
    }
}
