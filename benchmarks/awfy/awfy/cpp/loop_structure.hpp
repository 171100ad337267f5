// The loops that were found, and which of them is in which.

#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "flow_graph.hpp"
#include "set.hpp"
#include "vector.hpp"

namespace awfy {

class LoopStructure {
public:
    struct Loop {
        const FlowGraph::Block* const header;
        const bool is_reducible;
        const int number;
        bool is_root = false;
        int nesting = 0;
        int depth = 0;
        Loop* parent = nullptr;
        const std::unique_ptr<Set<const FlowGraph::Block*>> blocks =
            std::make_unique<Set<const FlowGraph::Block*>::Identity>();
        const std::unique_ptr<Set<Loop*>> children = std::make_unique<Set<Loop*>::Identity>();

        Loop(const FlowGraph::Block* header, bool is_reducible, int number)
            : header(header), is_reducible(is_reducible), number(number) {
            if (header != nullptr)
                blocks->add(header);
        }

        void add(const FlowGraph::Block* block) { blocks->add(block); }

        void put_into(Loop* outer) {
            parent = outer;
            outer->children->add(this);
        }

        void set_nesting(int level) {
            nesting = level;
            if (level == 0)
                is_root = true;
        }
    };

    LoopStructure() {
        auto root = std::make_unique<Loop>(nullptr, true, 0);
        root_ = root.get();
        root_->set_nesting(0);
        loops_->append(std::move(root));
    }

    int size() const { return loops_->size(); }

    Loop* add(const FlowGraph::Block* header, bool is_reducible) {
        last_++;
        auto made = std::make_unique<Loop>(header, is_reducible, last_);
        Loop* const loop = made.get();
        loops_->append(std::move(made));
        return loop;
    }

    // Puts loops that are in no other into the root, and computes how deep all are nested.
    void nest() {
        loops_->for_each([this](const std::unique_ptr<Loop>& loop) {
            if (!loop->is_root && loop->parent == nullptr)
                loop->put_into(root_);
        });
        nest(root_, 0);
    }

private:
    void nest(Loop* loop, int depth) {
        loop->depth = depth;
        loop->children->for_each([&](Loop* child) {
            nest(child, depth + 1);
            loop->set_nesting(std::max(loop->nesting, 1 + child->nesting));
        });
    }

    const std::unique_ptr<Vector<std::unique_ptr<Loop>>> loops_ =
        std::make_unique<Vector<std::unique_ptr<Loop>>>();
    Loop* root_;  // the first of the loops, which own it
    int last_ = 0;
};

}  // namespace awfy
