// Havlak's search for the loops of a flow graph.

#pragma once

#include <limits>
#include <memory>

#include "counts.hpp"
#include "flow_graph.hpp"
#include "identity_dictionary.hpp"
#include "loop_structure.hpp"
#include "set.hpp"
#include "vector.hpp"

namespace awfy {

class LoopFinder {
public:
    LoopFinder(const FlowGraph& graph, LoopStructure& structure)
        : graph_(graph), structure_(structure) {}

    void find_loops() {
        if (graph_.start == nullptr)
            return;
        const int size = graph_.size();
        init(size);
        graph_.blocks->for_each(
            [this](const std::unique_ptr<Block>& block) { numbers_->put(block.get(), unvisited); });
        number(graph_.start, 0);
        classify_edges(size);
        header_[0] = 0;
        for (int w = size - 1; w >= 0; w--) {
            if (nodes_[w]->block != nullptr && !find_loop(w))
                return;
        }
    }

private:
    using Block = FlowGraph::Block;
    using Loop = LoopStructure::Loop;

    static constexpr int unvisited = std::numeric_limits<int>::max();
    static constexpr int most_predecessors = 32 * 1024;

    enum class Kind { other, reducible, self, irreducible, dead };

    // A node of the sets of nodes that have become one loop.
    struct Node {
        Node* parent = nullptr;
        const Block* block = nullptr;
        int number = 0;
        Loop* loop = nullptr;

        void init(const Block* block, int number) {
            parent = this;
            this->block = block;
            this->number = number;
            loop = nullptr;
        }

        // The set's own node; nodes on the way are put directly below it.
        Node* find() {
            const auto passed = std::make_unique<Vector<Node*>>();
            Node* node = this;
            while (node != node->parent) {
                counts.steps++;  // tick
                if (node->parent != node->parent->parent)
                    passed->append(node);
                node = node->parent;
            }
            Node* const top = node;
            passed->for_each([top](Node* one) { one->unite_with(top); });
            return top;
        }

        void unite_with(Node* other) { parent = other; }
    };

    void init(int size) {
        other_predecessors_->remove_all();
        back_predecessors_->remove_all();
        numbers_->remove_all();
        header_ = std::make_unique<int[]>(size);
        kind_ = std::make_unique<Kind[]>(size);
        last_ = std::make_unique<int[]>(size);
        nodes_ = std::make_unique<std::unique_ptr<Node>[]>(size);
        for (int i = 0; i < size; i++) {
            other_predecessors_->append(std::make_unique<Set<int>>());
            back_predecessors_->append(std::make_unique<Vector<int>>());
            nodes_[i] = std::make_unique<Node>();
        }
    }

    // Numbers the blocks from here depth first; the last number that was given.
    int number(const Block* block, int number) {
        counts.steps++;  // tick
        nodes_[number]->init(block, number);
        numbers_->put(block, number);
        int given = number;
        const Vector<Block*>& targets = *block->outward;
        for (int i = 0; i < targets.size(); i++) {
            const Block* const target = targets.at(i);
            if (numbers_->get(target) == unvisited)
                given = this->number(target, given + 1);
        }
        last_[number] = given;
        return given;
    }

    bool is_ancestor(int w, int v) const { return w <= v && v <= last_[w]; }

    // Tells edges that lead back to an ancestor from the others.
    void classify_edges(int size) {
        for (int w = 0; w < size; w++) {
            header_[w] = 0;
            kind_[w] = Kind::other;
            const Block* const block = nodes_[w]->block;
            if (block == nullptr) {
                kind_[w] = Kind::dead;
            } else if (block->inward->size() > 0) {
                block->inward->for_each([this, w](const Block* source) {
                    const int v = numbers_->get(source);
                    if (v != unvisited) {
                        if (is_ancestor(w, v)) {
                            back_predecessors_->at(w)->append(v);
                        } else {
                            other_predecessors_->at(w)->add(v);
                        }
                    }
                });
            }
        }
    }

    // Finds the loop whose header is w, if there is one; false if there are too many edges.
    bool find_loop(int w) {
        const auto pool = std::make_unique<Vector<Node*>>();
        add_back_predecessors(w, *pool);
        const auto todo = std::make_unique<Vector<Node*>>();
        pool->for_each([&](Node* node) { todo->append(node); });
        if (pool->size() != 0)
            kind_[w] = Kind::reducible;
        while (!todo->is_empty()) {
            const Node* const x = todo->remove_first();
            if (other_predecessors_->at(x->number)->size() > most_predecessors)
                return false;
            add_other_predecessors(w, *pool, *todo, *x);
        }
        if (pool->size() > 0 || kind_[w] == Kind::self) {
            Loop* const loop = structure_.add(nodes_[w]->block, kind_[w] != Kind::irreducible);
            unite(w, *pool, loop);
        }
        return true;
    }

    void add_back_predecessors(int w, Vector<Node*>& pool) {
        back_predecessors_->at(w)->for_each([&](int v) {
            if (v != w) {
                pool.append(nodes_[v]->find());
            } else {
                kind_[w] = Kind::self;
            }
        });
    }

    void add_other_predecessors(int w, Vector<Node*>& pool, Vector<Node*>& todo, const Node& x) {
        other_predecessors_->at(x.number)->for_each([&](int v) {
            Node* const y = nodes_[v]->find();
            if (!is_ancestor(w, y->number)) {
                kind_[w] = Kind::irreducible;
                other_predecessors_->at(w)->add(y->number);
            } else if (y->number != w && !pool.has_some([y](Node* node) { return node == y; })) {
                todo.append(y);
                pool.append(y);
            }
        });
    }

    // The nodes of a loop become one; loops that they belong to are in this loop.
    void unite(int w, const Vector<Node*>& pool, Loop* loop) {
        nodes_[w]->loop = loop;
        pool.for_each([&](Node* node) {
            header_[node->number] = w;
            node->unite_with(nodes_[w].get());
            if (node->loop != nullptr) {
                node->loop->put_into(loop);
            } else {
                loop->add(node->block);
            }
        });
    }

    const FlowGraph& graph_;
    LoopStructure& structure_;
    const std::unique_ptr<Vector<std::unique_ptr<Set<int>>>> other_predecessors_ =
        std::make_unique<Vector<std::unique_ptr<Set<int>>>>();
    const std::unique_ptr<Vector<std::unique_ptr<Vector<int>>>> back_predecessors_ =
        std::make_unique<Vector<std::unique_ptr<Vector<int>>>>();
    const std::unique_ptr<IdentityDictionary<Block, int>> numbers_ =
        std::make_unique<IdentityDictionary<Block, int>>();
    std::unique_ptr<int[]> header_;
    std::unique_ptr<Kind[]> kind_;
    std::unique_ptr<int[]> last_;
    std::unique_ptr<std::unique_ptr<Node>[]> nodes_;
};

}  // namespace awfy
