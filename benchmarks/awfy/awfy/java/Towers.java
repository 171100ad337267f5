package awfy;

/** The towers of Hanoi with 13 disks. */
final class Towers extends Benchmark {
    private static final int DISKS = 13;

    private static final class Disk {
        final int size;
        Disk next;

        Disk(int size) { this.size = size; }
    }

    private Disk[] piles;
    private int moves;

    @Override
    long once() {
        piles = new Disk[3];
        for (int size = DISKS; size >= 0; size--) {
            push(new Disk(size), 0);
        }
        moves = 0;
        move(DISKS, 0, 1);
        return moves;
    }

    private void push(Disk disk, int pile) {
        var top = piles[pile];
        if (top != null && disk.size >= top.size) {
            throw new IllegalStateException("a big disk on a smaller one");
        }
        disk.next = top;
        piles[pile] = disk;
    }

    private Disk pop(int pile) {
        var top = piles[pile];
        if (top == null) {
            throw new IllegalStateException("no disk on this pile");
        }
        piles[pile] = top.next;
        top.next = null;
        return top;
    }

    private void moveTop(int from, int to) {
        push(pop(from), to);
        moves++;
    }

    private void move(int disks, int from, int to) {
        Counts.steps++; // tick
        if (disks == 1) {
            moveTop(from, to);
            return;
        }
        int third = 3 - from - to;
        move(disks - 1, from, third);
        moveTop(from, to);
        move(disks - 1, third, to);
    }
}
