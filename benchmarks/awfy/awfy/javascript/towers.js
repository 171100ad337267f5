// The towers of Hanoi with 13 disks.

import { Benchmark } from './benchmark.js';
import { counts } from './counts.js';

const DISKS = 13;

class Disk {
  constructor(size) {
    this.size = size;
    this.next = null;
  }
}

export class Towers extends Benchmark {
  once() {
    this.piles = [null, null, null];
    for (let size = DISKS; size >= 0; size--) this.push(new Disk(size), 0);
    this.moves = 0;
    this.move(DISKS, 0, 1);
    return this.moves;
  }

  push(disk, pile) {
    const top = this.piles[pile];
    if (top !== null && disk.size >= top.size) throw new Error('a big disk on a smaller one');
    disk.next = top;
    this.piles[pile] = disk;
  }

  pop(pile) {
    const top = this.piles[pile];
    if (top === null) throw new Error('no disk on this pile');
    this.piles[pile] = top.next;
    top.next = null;
    return top;
  }

  moveTop(from, to) {
    this.push(this.pop(from), to);
    this.moves++;
  }

  move(disks, from, to) {
    counts.steps++; // tick
    if (disks === 1) {
      this.moveTop(from, to);
      return;
    }
    const third = 3 - from - to;
    this.move(disks - 1, from, third);
    this.moveTop(from, to);
    this.move(disks - 1, third, to);
  }
}
