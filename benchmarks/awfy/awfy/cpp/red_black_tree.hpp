// The suite's own sorted dictionary.

#pragma once

#include <functional>
#include <utility>

#include "counts.hpp"

namespace awfy {

template <class T>
class Comparable {
public:
    // Negative if this object is before the other one, positive if it is after it, else 0.
    virtual int compare_to(const T& other) const = 0;

protected:
    ~Comparable() = default;
};

// K is a pointer to a Comparable. The tree owns its nodes.
template <class K, class V>
class RedBlackTree {
public:
    RedBlackTree() = default;
    RedBlackTree(const RedBlackTree&) = delete;
    RedBlackTree& operator=(const RedBlackTree&) = delete;
    ~RedBlackTree() { free(root_); }

    // The value of a key, or V().
    const V& get(const K& key) const {
        const Node* const node = find(key);
        return node == nullptr ? none : node->value;
    }

    // The value that the key had before, or V().
    V put(const K& key, V value) {
        Node* parent = nullptr;
        Node* node = root_;
        int order = 0;
        while (node != nullptr) {
            counts.elements++;  // tick
            order = compare(*key, *node->key);
            if (order == 0)
                return std::exchange(node->value, std::move(value));
            parent = node;
            node = order < 0 ? node->left : node->right;
        }
        Node* const added = new Node(key, std::move(value), parent);
        if (parent == nullptr) {
            root_ = added;
        } else if (order < 0) {
            parent->left = added;
        } else {
            parent->right = added;
        }
        balance_added(added);
        return V();
    }

    void remove(const K& key) {
        Node* const node = find(key);
        if (node == nullptr)
            return;
        bool was_red = node->red;
        Node* child;
        Node* parent;
        if (node->left == nullptr || node->right == nullptr) {
            child = node->left == nullptr ? node->right : node->left;
            parent = node->parent;
            replace(node, child);
        } else {
            Node* const next = first(node->right);
            was_red = next->red;
            child = next->right;
            parent = next;
            if (next->parent != node) {
                parent = next->parent;
                replace(next, child);
                next->right = node->right;
                next->right->parent = next;
            }
            replace(node, next);
            next->left = node->left;
            next->left->parent = next;
            next->red = node->red;
        }
        if (!was_red)
            balance_removed(child, parent);
        delete node;
    }

    // In the order of the keys.
    void for_each(const std::function<void(const K&, const V&)>& action) const {
        const Node* node = root_ == nullptr ? nullptr : first(root_);
        while (node != nullptr) {
            counts.elements++;  // tick
            action(node->key, node->value);
            node = next(node);
        }
    }

private:
    static inline const V none = V();

    struct Node {
        const K key;
        V value;
        Node* left = nullptr;
        Node* right = nullptr;
        Node* parent;
        bool red = true;

        Node(const K& key, V value, Node* parent)
            : key(key), value(std::move(value)), parent(parent) {}
    };

    static void free(const Node* node) {
        if (node != nullptr) {
            free(node->left);
            free(node->right);
            delete node;
        }
    }

    // Calls the interface and not the key's own class, as trees in the other languages do.
    template <class T>
    static int compare(const Comparable<T>& one, const T& other) {
        return one.compare_to(other);
    }

    Node* find(const K& key) const {
        Node* node = root_;
        while (node != nullptr) {
            counts.elements++;  // tick
            const int order = compare(*key, *node->key);
            if (order == 0)
                return node;
            node = order < 0 ? node->left : node->right;
        }
        return nullptr;
    }

    void balance_added(Node* added) {
        Node* node = added;
        while (node != root_ && node->parent->red) {
            Node* const parent = node->parent;
            Node* const grandparent = parent->parent;
            const bool is_left = parent == grandparent->left;
            Node* const uncle = is_left ? grandparent->right : grandparent->left;
            if (uncle != nullptr && uncle->red) {
                parent->red = false;
                uncle->red = false;
                grandparent->red = true;
                node = grandparent;
            } else {
                if (node == (is_left ? parent->right : parent->left)) {
                    node = parent;
                    rotate(node, is_left);
                }
                node->parent->red = false;
                grandparent->red = true;
                rotate(grandparent, !is_left);
            }
        }
        root_->red = false;
    }

    // Moves a node down to the left, or to the right, and its other child up.
    void rotate(Node* node, bool to_left) {
        Node* const child = to_left ? node->right : node->left;
        Node* const inner = to_left ? child->left : child->right;
        if (to_left) {
            node->right = inner;
            child->left = node;
        } else {
            node->left = inner;
            child->right = node;
        }
        if (inner != nullptr)
            inner->parent = node;
        replace(node, child);
        node->parent = child;
    }

    // Puts a node, or none, where another one was below its parent.
    void replace(Node* node, Node* other) {
        if (other != nullptr)
            other->parent = node->parent;
        if (node->parent == nullptr) {
            root_ = other;
        } else if (node == node->parent->left) {
            node->parent->left = other;
        } else {
            node->parent->right = other;
        }
    }

    void balance_removed(Node* child, Node* above) {
        Node* node = child;
        Node* parent = above;
        while (node != root_ && (node == nullptr || !node->red)) {
            const bool is_left = node == parent->left;
            Node* sibling = is_left ? parent->right : parent->left;
            if (sibling->red) {
                sibling->red = false;
                parent->red = true;
                rotate(parent, is_left);
                sibling = is_left ? parent->right : parent->left;
            }
            Node* const near = is_left ? sibling->left : sibling->right;
            Node* far = is_left ? sibling->right : sibling->left;
            if ((near == nullptr || !near->red) && (far == nullptr || !far->red)) {
                sibling->red = true;
                node = parent;
                parent = node->parent;
            } else {
                if (far == nullptr || !far->red) {
                    near->red = false;
                    sibling->red = true;
                    rotate(sibling, !is_left);
                    far = sibling;
                    sibling = near;
                }
                sibling->red = parent->red;
                parent->red = false;
                far->red = false;
                rotate(parent, is_left);
                node = root_;
            }
        }
        if (node != nullptr)
            node->red = false;
    }

    template <class N>
    static N* first(N* top) {
        N* node = top;
        while (node->left != nullptr)
            node = node->left;
        return node;
    }

    static const Node* next(const Node* node) {
        if (node->right != nullptr)
            return first<const Node>(node->right);
        const Node* below = node;
        while (below->parent != nullptr && below == below->parent->right)
            below = below->parent;
        return below->parent;
    }

    Node* root_ = nullptr;
};

}  // namespace awfy
