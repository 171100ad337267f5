package awfy;

/** A variable of DeltaBlue's graph of constraints. */
final class Variable {
    int value;
    final Vector<Constraint> constraints = new Vector<>();
    /** The constraint that gives this variable its value, or null. */
    Constraint determinedBy;
    /** The last pass of the planner that came here. */
    int mark;
    Strength walkStrength;
    /** Whether its value is constant while a plan is carried out. */
    boolean stays = true;

    Variable(int value, Planner planner) {
        this.value = value;
        walkStrength = planner.strength(Strength.ABSOLUTE_WEAKEST);
    }

    void addConstraint(Constraint constraint) { constraints.append(constraint); }

    void removeConstraint(Constraint constraint) {
        constraints.remove(constraint);
        if (determinedBy == constraint) {
            determinedBy = null;
        }
    }
}
