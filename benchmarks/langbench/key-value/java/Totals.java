package langbench.keyvalue;

/** What the connections have handed over. */
final class Totals {
    private final Statistics sum = new Statistics();

    /** Takes what a connection has counted, which begins again; gives the sum with the others. */
    synchronized Statistics take(Statistics counted) {
        sum.add(counted);
        counted.clear();
        var together = new Statistics();
        together.add(sum);
        return together;
    }
}
