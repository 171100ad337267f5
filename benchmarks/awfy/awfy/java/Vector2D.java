package awfy;

/** A place in the plane; places are in order of x, then of y. */
final class Vector2D implements Comparable<Vector2D> {
    final double x;
    final double y;

    Vector2D(double x, double y) {
        this.x = x;
        this.y = y;
    }

    Vector2D plus(Vector2D other) { return new Vector2D(x + other.x, y + other.y); }

    Vector2D minus(Vector2D other) { return new Vector2D(x - other.x, y - other.y); }

    @Override
    public int compareTo(Vector2D other) {
        int order = compare(x, other.x);
        return order != 0 ? order : compare(y, other.y);
    }

    private static int compare(double one, double other) {
        if (one == other) {
            return 0;
        }
        return one < other ? -1 : 1;
    }
}
