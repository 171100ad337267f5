package techempower;

/** A row of the table World. */
record World(int id, int randomNumber) {}
