package awfy;

import awfy.FlowGraph.Block;

/** Havlak's search for the loops of a flow graph. */
final class LoopFinder {
    private static final int UNVISITED = Integer.MAX_VALUE;
    private static final int MOST_PREDECESSORS = 32 * 1024;

    private enum Kind { OTHER, REDUCIBLE, SELF, IRREDUCIBLE, DEAD }

    /** A node of the sets of nodes that have become one loop. */
    private static final class Node {
        private Node parent;
        Block block;
        int number;
        LoopStructure.Loop loop;

        void init(Block block, int number) {
            parent = this;
            this.block = block;
            this.number = number;
            loop = null;
        }

        /** The set's own node; nodes on the way are put directly below it. */
        Node find() {
            var passed = new Vector<Node>();
            var node = this;
            while (node != node.parent) {
                Counts.steps++; // tick
                if (node.parent != node.parent.parent) {
                    passed.append(node);
                }
                node = node.parent;
            }
            var top = node;
            passed.forEach(one -> one.uniteWith(top));
            return top;
        }

        void uniteWith(Node other) { parent = other; }
    }

    private final FlowGraph graph;
    private final LoopStructure structure;
    private final Vector<Set<Integer>> otherPredecessors = new Vector<>();
    private final Vector<Vector<Integer>> backPredecessors = new Vector<>();
    private final IdentityDictionary<Block, Integer> numbers = new IdentityDictionary<>();
    private int[] header;
    private Kind[] kind;
    private int[] last;
    private Node[] nodes;

    LoopFinder(FlowGraph graph, LoopStructure structure) {
        this.graph = graph;
        this.structure = structure;
    }

    void findLoops() {
        if (graph.start == null) {
            return;
        }
        int size = graph.size();
        init(size);
        graph.blocks.forEach(block -> numbers.put(block, UNVISITED));
        number(graph.start, 0);
        classifyEdges(size);
        header[0] = 0;
        for (int w = size - 1; w >= 0; w--) {
            if (nodes[w].block != null && !findLoop(w)) {
                return;
            }
        }
    }

    private void init(int size) {
        otherPredecessors.removeAll();
        backPredecessors.removeAll();
        numbers.removeAll();
        header = new int[size];
        kind = new Kind[size];
        last = new int[size];
        nodes = new Node[size];
        for (int i = 0; i < size; i++) {
            otherPredecessors.append(new Set<>());
            backPredecessors.append(new Vector<>());
            nodes[i] = new Node();
        }
    }

    /** Numbers the blocks from here depth first; the last number that was given. */
    private int number(Block block, int number) {
        Counts.steps++; // tick
        nodes[number].init(block, number);
        numbers.put(block, number);
        int given = number;
        var targets = block.outward;
        for (int i = 0; i < targets.size(); i++) {
            var target = targets.at(i);
            if (numbers.get(target) == UNVISITED) {
                given = number(target, given + 1);
            }
        }
        last[number] = given;
        return given;
    }

    private boolean isAncestor(int w, int v) { return w <= v && v <= last[w]; }

    /** Tells edges that lead back to an ancestor from the others. */
    private void classifyEdges(int size) {
        for (int i = 0; i < size; i++) {
            int w = i;
            header[w] = 0;
            kind[w] = Kind.OTHER;
            var block = nodes[w].block;
            if (block == null) {
                kind[w] = Kind.DEAD;
            } else if (block.inward.size() > 0) {
                block.inward.forEach(source -> {
                    int v = numbers.get(source);
                    if (v != UNVISITED) {
                        if (isAncestor(w, v)) {
                            backPredecessors.at(w).append(v);
                        } else {
                            otherPredecessors.at(w).add(v);
                        }
                    }
                });
            }
        }
    }

    /** Finds the loop whose header is w, if there is one; false if there are too many edges. */
    private boolean findLoop(int w) {
        var pool = new Vector<Node>();
        addBackPredecessors(w, pool);
        var todo = new Vector<Node>();
        pool.forEach(todo::append);
        if (pool.size() != 0) {
            kind[w] = Kind.REDUCIBLE;
        }
        while (!todo.isEmpty()) {
            var x = todo.removeFirst();
            if (otherPredecessors.at(x.number).size() > MOST_PREDECESSORS) {
                return false;
            }
            addOtherPredecessors(w, pool, todo, x);
        }
        if (pool.size() > 0 || kind[w] == Kind.SELF) {
            var loop = structure.add(nodes[w].block, kind[w] != Kind.IRREDUCIBLE);
            unite(w, pool, loop);
        }
        return true;
    }

    private void addBackPredecessors(int w, Vector<Node> pool) {
        backPredecessors.at(w).forEach(v -> {
            if (v != w) {
                pool.append(nodes[v].find());
            } else {
                kind[w] = Kind.SELF;
            }
        });
    }

    private void addOtherPredecessors(int w, Vector<Node> pool, Vector<Node> todo, Node x) {
        otherPredecessors.at(x.number).forEach(v -> {
            var y = nodes[v].find();
            if (!isAncestor(w, y.number)) {
                kind[w] = Kind.IRREDUCIBLE;
                otherPredecessors.at(w).add(y.number);
            } else if (y.number != w && !pool.hasSome(node -> node == y)) {
                todo.append(y);
                pool.append(y);
            }
        });
    }

    /** The nodes of a loop become one; loops that they belong to are in this loop. */
    private void unite(int w, Vector<Node> pool, LoopStructure.Loop loop) {
        nodes[w].loop = loop;
        pool.forEach(node -> {
            header[node.number] = w;
            node.uniteWith(nodes[w]);
            if (node.loop != null) {
                node.loop.putInto(loop);
            } else {
                loop.add(node.block);
            }
        });
    }
}
