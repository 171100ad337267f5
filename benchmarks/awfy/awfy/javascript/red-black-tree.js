// The suite's own sorted dictionary.

import { counts } from './counts.js';

class Node {
  constructor(key, value, parent) {
    this.key = key;
    this.value = value;
    this.left = null;
    this.right = null;
    this.parent = parent;
    this.red = true;
  }
}

function first(top) {
  let node = top;
  while (node.left !== null) node = node.left;
  return node;
}

function next(node) {
  if (node.right !== null) return first(node.right);
  let below = node;
  while (below.parent !== null && below === below.parent.right) below = below.parent;
  return below.parent;
}

const isBlack = (node) => node === null || !node.red;

/** A key has a method `compareTo`. */
export class RedBlackTree {
  constructor() {
    this.root = null;
  }

  find(key) {
    let node = this.root;
    while (node !== null) {
      counts.elements++; // tick
      const order = key.compareTo(node.key);
      if (order === 0) return node;
      node = order < 0 ? node.left : node.right;
    }
    return null;
  }

  /** The value of a key, or null. */
  get(key) {
    const node = this.find(key);
    return node === null ? null : node.value;
  }

  /** The value that the key had before, or null. */
  put(key, value) {
    let parent = null;
    let node = this.root;
    let order = 0;
    while (node !== null) {
      counts.elements++; // tick
      order = key.compareTo(node.key);
      if (order === 0) {
        const old = node.value;
        node.value = value;
        return old;
      }
      parent = node;
      node = order < 0 ? node.left : node.right;
    }
    const added = new Node(key, value, parent);
    if (parent === null) this.root = added;
    else if (order < 0) parent.left = added;
    else parent.right = added;
    this.balanceAdded(added);
    return null;
  }

  balanceAdded(added) {
    let node = added;
    while (node !== this.root && node.parent.red) {
      const parent = node.parent;
      const grandparent = parent.parent;
      const isLeft = parent === grandparent.left;
      const uncle = isLeft ? grandparent.right : grandparent.left;
      if (uncle?.red) {
        parent.red = false;
        uncle.red = false;
        grandparent.red = true;
        node = grandparent;
      } else {
        if (node === (isLeft ? parent.right : parent.left)) {
          node = parent;
          this.rotate(node, isLeft);
        }
        node.parent.red = false;
        grandparent.red = true;
        this.rotate(grandparent, !isLeft);
      }
    }
    this.root.red = false;
  }

  /** Moves a node down to the left, or to the right, and its other child up. */
  rotate(node, toLeft) {
    const child = toLeft ? node.right : node.left;
    const inner = toLeft ? child.left : child.right;
    if (toLeft) {
      node.right = inner;
      child.left = node;
    } else {
      node.left = inner;
      child.right = node;
    }
    if (inner !== null) inner.parent = node;
    this.replace(node, child);
    node.parent = child;
  }

  /** Puts a node, or none, where another one was below its parent. */
  replace(node, other) {
    if (other !== null) other.parent = node.parent;
    if (node.parent === null) this.root = other;
    else if (node === node.parent.left) node.parent.left = other;
    else node.parent.right = other;
  }

  remove(key) {
    const node = this.find(key);
    if (node === null) return;
    let wasRed = node.red;
    let child;
    let parent;
    if (node.left === null || node.right === null) {
      child = node.left === null ? node.right : node.left;
      parent = node.parent;
      this.replace(node, child);
    } else {
      const successor = first(node.right);
      wasRed = successor.red;
      child = successor.right;
      parent = successor;
      if (successor.parent !== node) {
        parent = successor.parent;
        this.replace(successor, child);
        successor.right = node.right;
        successor.right.parent = successor;
      }
      this.replace(node, successor);
      successor.left = node.left;
      successor.left.parent = successor;
      successor.red = node.red;
    }
    if (!wasRed) this.balanceRemoved(child, parent);
  }

  balanceRemoved(child, above) {
    let node = child;
    let parent = above;
    while (node !== this.root && isBlack(node)) {
      const isLeft = node === parent.left;
      let sibling = isLeft ? parent.right : parent.left;
      if (sibling.red) {
        sibling.red = false;
        parent.red = true;
        this.rotate(parent, isLeft);
        sibling = isLeft ? parent.right : parent.left;
      }
      const near = isLeft ? sibling.left : sibling.right;
      let far = isLeft ? sibling.right : sibling.left;
      if (isBlack(near) && isBlack(far)) {
        sibling.red = true;
        node = parent;
        parent = node.parent;
      } else {
        if (isBlack(far)) {
          near.red = false;
          sibling.red = true;
          this.rotate(sibling, !isLeft);
          far = sibling;
          sibling = near;
        }
        sibling.red = parent.red;
        parent.red = false;
        far.red = false;
        this.rotate(parent, isLeft);
        node = this.root;
      }
    }
    if (node !== null) node.red = false;
  }

  /** In the order of the keys. */
  forEach(action) {
    let node = this.root === null ? null : first(this.root);
    while (node !== null) {
      counts.elements++; // tick
      action(node.key, node.value);
      node = next(node);
    }
  }
}
