package techempower;

/** A row of the table Fortune. */
record Fortune(int id, String message) {}
