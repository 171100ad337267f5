package awfy;

import java.util.function.BiConsumer;

/** The suite's own sorted dictionary. */
final class RedBlackTree<K extends Comparable<K>, V> {
    private static final class Node<K, V> {
        final K key;
        V value;
        Node<K, V> left;
        Node<K, V> right;
        Node<K, V> parent;
        boolean red = true;

        Node(K key, V value, Node<K, V> parent) {
            this.key = key;
            this.value = value;
            this.parent = parent;
        }
    }

    private Node<K, V> root;

    private Node<K, V> find(K key) {
        var node = root;
        while (node != null) {
            Counts.elements++; // tick
            int order = key.compareTo(node.key);
            if (order == 0) {
                return node;
            }
            node = order < 0 ? node.left : node.right;
        }
        return null;
    }

    /** The value of a key, or null. */
    V get(K key) {
        var node = find(key);
        return node == null ? null : node.value;
    }

    /** The value that the key had before, or null. */
    V put(K key, V value) {
        Node<K, V> parent = null;
        var node = root;
        int order = 0;
        while (node != null) {
            Counts.elements++; // tick
            order = key.compareTo(node.key);
            if (order == 0) {
                V old = node.value;
                node.value = value;
                return old;
            }
            parent = node;
            node = order < 0 ? node.left : node.right;
        }
        var added = new Node<>(key, value, parent);
        if (parent == null) {
            root = added;
        } else if (order < 0) {
            parent.left = added;
        } else {
            parent.right = added;
        }
        balanceAdded(added);
        return null;
    }

    private void balanceAdded(Node<K, V> added) {
        var node = added;
        while (node != root && node.parent.red) {
            var parent = node.parent;
            var grandparent = parent.parent;
            boolean isLeft = parent == grandparent.left;
            var uncle = isLeft ? grandparent.right : grandparent.left;
            if (uncle != null && uncle.red) {
                parent.red = false;
                uncle.red = false;
                grandparent.red = true;
                node = grandparent;
            } else {
                if (node == (isLeft ? parent.right : parent.left)) {
                    node = parent;
                    rotate(node, isLeft);
                }
                node.parent.red = false;
                grandparent.red = true;
                rotate(grandparent, !isLeft);
            }
        }
        root.red = false;
    }

    /** Moves a node down to the left, or to the right, and its other child up. */
    private void rotate(Node<K, V> node, boolean toLeft) {
        var child = toLeft ? node.right : node.left;
        var inner = toLeft ? child.left : child.right;
        if (toLeft) {
            node.right = inner;
            child.left = node;
        } else {
            node.left = inner;
            child.right = node;
        }
        if (inner != null) {
            inner.parent = node;
        }
        replace(node, child);
        node.parent = child;
    }

    /** Puts a node, or none, where another one was below its parent. */
    private void replace(Node<K, V> node, Node<K, V> other) {
        if (other != null) {
            other.parent = node.parent;
        }
        if (node.parent == null) {
            root = other;
        } else if (node == node.parent.left) {
            node.parent.left = other;
        } else {
            node.parent.right = other;
        }
    }

    void remove(K key) {
        var node = find(key);
        if (node == null) {
            return;
        }
        boolean wasRed = node.red;
        Node<K, V> child;
        Node<K, V> parent;
        if (node.left == null || node.right == null) {
            child = node.left == null ? node.right : node.left;
            parent = node.parent;
            replace(node, child);
        } else {
            var next = first(node.right);
            wasRed = next.red;
            child = next.right;
            parent = next;
            if (next.parent != node) {
                parent = next.parent;
                replace(next, child);
                next.right = node.right;
                next.right.parent = next;
            }
            replace(node, next);
            next.left = node.left;
            next.left.parent = next;
            next.red = node.red;
        }
        if (!wasRed) {
            balanceRemoved(child, parent);
        }
    }

    private void balanceRemoved(Node<K, V> child, Node<K, V> above) {
        var node = child;
        var parent = above;
        while (node != root && (node == null || !node.red)) {
            boolean isLeft = node == parent.left;
            var sibling = isLeft ? parent.right : parent.left;
            if (sibling.red) {
                sibling.red = false;
                parent.red = true;
                rotate(parent, isLeft);
                sibling = isLeft ? parent.right : parent.left;
            }
            var near = isLeft ? sibling.left : sibling.right;
            var far = isLeft ? sibling.right : sibling.left;
            if ((near == null || !near.red) && (far == null || !far.red)) {
                sibling.red = true;
                node = parent;
                parent = node.parent;
            } else {
                if (far == null || !far.red) {
                    near.red = false;
                    sibling.red = true;
                    rotate(sibling, !isLeft);
                    far = sibling;
                    sibling = near;
                }
                sibling.red = parent.red;
                parent.red = false;
                far.red = false;
                rotate(parent, isLeft);
                node = root;
            }
        }
        if (node != null) {
            node.red = false;
        }
    }

    private Node<K, V> first(Node<K, V> top) {
        var node = top;
        while (node.left != null) {
            node = node.left;
        }
        return node;
    }

    private Node<K, V> next(Node<K, V> node) {
        if (node.right != null) {
            return first(node.right);
        }
        var below = node;
        while (below.parent != null && below == below.parent.right) {
            below = below.parent;
        }
        return below.parent;
    }

    /** In the order of the keys. */
    void forEach(BiConsumer<K, V> action) {
        var node = root == null ? null : first(root);
        while (node != null) {
            Counts.elements++; // tick
            action.accept(node.key, node.value);
            node = next(node);
        }
    }
}
