package langbench.log;

/** A matching line, and the number of its file. */
record Match(int file, String line) {}
