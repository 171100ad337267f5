package actors;

/** How much the actors of an iteration do. */
record Work(int actors, int amount, int seed) {}
