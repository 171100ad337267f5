// A program's control flow: basic blocks and the edges between them.

#pragma once

#include <memory>
#include <utility>

#include "identity_dictionary.hpp"
#include "vector.hpp"

namespace awfy {

class FlowGraph {
public:
    class Block final : public Hashed {
    public:
        const std::unique_ptr<Vector<Block*>> inward = std::make_unique<Vector<Block*>>();
        const std::unique_ptr<Vector<Block*>> outward = std::make_unique<Vector<Block*>>();

        explicit Block(int name) : name_(name) {}

        int hash() const override { return name_; }

    private:
        const int name_;
    };

    const std::unique_ptr<Vector<std::unique_ptr<Block>>> blocks =
        std::make_unique<Vector<std::unique_ptr<Block>>>();
    // The first block that was made, or null.
    Block* start = nullptr;

    int size() const { return blocks->size(); }

    // The block of that name, which is made if there is none.
    Block* block(int name) {
        Block* block = blocks->at(name).get();
        if (block == nullptr) {
            auto made = std::make_unique<Block>(name);
            block = made.get();
            blocks->put(name, std::move(made));
        }
        if (size() == 1)
            start = block;
        return block;
    }

    void connect(int from, int to) {
        Block* const source = block(from);
        edges_->append(std::make_unique<Edge>(source, block(to)));
    }

    // Two ways from a block to another one, whose name is the answer.
    int add_diamond(int from) {
        connect(from, from + 1);
        connect(from, from + 2);
        connect(from + 1, from + 3);
        connect(from + 2, from + 3);
        return from + 3;
    }

    int add_straight(int from, int length) {
        for (int i = 0; i < length; i++)
            connect(from + i, from + i + 1);
        return from + length;
    }

    // Two loops side by side in a third one; the name of the block after them.
    int add_loops(int from) {
        const int header = add_straight(from, 1);
        const int first = add_diamond(header);
        const int between = add_straight(first, 1);
        const int second = add_diamond(between);
        const int footer = add_straight(second, 1);
        connect(second, between);
        connect(first, header);
        connect(footer, from);
        return add_straight(footer, 1);
    }

private:
    struct Edge {
        Block* const from;
        Block* const to;

        Edge(Block* from, Block* to) : from(from), to(to) {
            from->outward->append(to);
            to->inward->append(from);
        }
    };

    const std::unique_ptr<Vector<std::unique_ptr<Edge>>> edges_ =
        std::make_unique<Vector<std::unique_ptr<Edge>>>();
};

}  // namespace awfy
