package awfy;

/** How strong a constraint is: the smaller the number, the stronger. */
final class Strength {
    /** A strength's name, by which the table of a run finds it. */
    static final class Name implements IdentityDictionary.Hashed {
        private final int hash;

        private Name(int hash) { this.hash = hash; }

        @Override
        public int hash() { return hash; }
    }

    private static final Name ABSOLUTE_STRONGEST = new Name(0);
    static final Name REQUIRED = new Name(1);
    private static final Name STRONG_PREFERRED = new Name(2);
    static final Name PREFERRED = new Name(3);
    static final Name STRONG_DEFAULT = new Name(4);
    static final Name DEFAULT = new Name(5);
    private static final Name WEAK_DEFAULT = new Name(6);
    static final Name ABSOLUTE_WEAKEST = new Name(7);

    final Name name;
    private final int value;

    private Strength(Name name, int value) {
        this.name = name;
        this.value = value;
    }

    boolean isStrongerThan(Strength other) { return value < other.value; }

    boolean isWeakerThan(Strength other) { return value > other.value; }

    Strength weakest(Strength other) { return other.isWeakerThan(this) ? other : this; }

    /** All strengths by their names. */
    static IdentityDictionary<Name, Strength> table() {
        var table = new IdentityDictionary<Name, Strength>();
        add(table, ABSOLUTE_STRONGEST, -10_000);
        add(table, REQUIRED, -800);
        add(table, STRONG_PREFERRED, -600);
        add(table, PREFERRED, -400);
        add(table, STRONG_DEFAULT, -200);
        add(table, DEFAULT, 0);
        add(table, WEAK_DEFAULT, 500);
        add(table, ABSOLUTE_WEAKEST, 10_000);
        return table;
    }

    private static void add(IdentityDictionary<Name, Strength> table, Name name, int value) {
        table.put(name, new Strength(name, value));
    }
}
