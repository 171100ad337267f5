package awfy;

import java.util.function.Consumer;
import java.util.function.Predicate;

/** A relation of variables that the planner keeps, by giving one of them its value. */
abstract class Constraint {
    final Strength strength;

    Constraint(Strength.Name name, Planner planner) { strength = planner.strength(name); }

    abstract boolean isSatisfied();

    abstract void markUnsatisfied();

    abstract void addToGraph();

    abstract void removeFromGraph();

    /** The variable that the constraint determines now. */
    abstract Variable output();

    abstract void inputsDo(Consumer<Variable> action);

    abstract boolean inputsHaveSome(Predicate<Variable> condition);

    /** Decides whether the constraint can be satisfied, and which way. */
    abstract void chooseMethod(int mark);

    /** Computes the output's strength, and its value if that is constant. */
    abstract void recalculate();

    /** Computes the output's value. */
    void execute() {}

    /** Whether its value comes from outside. */
    boolean isInput() { return false; }

    /** Whether each input has a value that is constant, or known to this pass. */
    final boolean inputsKnown(int mark) {
        return !inputsHaveSome(input ->
                input.mark != mark && !input.stays && input.determinedBy != null);
    }

    final void add(Planner planner) {
        addToGraph();
        planner.incrementalAdd(this);
    }

    /** It is removed from the graph twice if it is satisfied, as in the suite. */
    final void destroy(Planner planner) {
        if (isSatisfied()) {
            planner.incrementalRemove(this);
        }
        removeFromGraph();
    }

    /** Satisfies this constraint. Returns the constraint that it overrides, or null. */
    final Constraint satisfy(int mark, Planner planner) {
        Counts.steps++; // tick
        chooseMethod(mark);
        if (!isSatisfied()) {
            if (strength.name == Strength.REQUIRED) {
                throw new IllegalStateException("a required constraint cannot be satisfied");
            }
            return null;
        }
        inputsDo(input -> input.mark = mark);
        var output = output();
        var overridden = output.determinedBy;
        if (overridden != null) {
            overridden.markUnsatisfied();
        }
        output.determinedBy = this;
        if (!planner.propagate(this, mark)) {
            throw new IllegalStateException("a cycle of constraints");
        }
        output.mark = mark;
        return overridden;
    }

    /** A constraint on one variable. */
    abstract static class Unary extends Constraint {
        private final Variable output;
        private boolean satisfied;

        Unary(Variable output, Strength.Name name, Planner planner) {
            super(name, planner);
            this.output = output;
            add(planner);
        }

        @Override
        final boolean isSatisfied() { return satisfied; }

        @Override
        final void markUnsatisfied() { satisfied = false; }

        @Override
        final void addToGraph() {
            output.addConstraint(this);
            satisfied = false;
        }

        @Override
        final void removeFromGraph() {
            output.removeConstraint(this);
            satisfied = false;
        }

        @Override
        final Variable output() { return output; }

        @Override
        final void inputsDo(Consumer<Variable> action) {}

        @Override
        final boolean inputsHaveSome(Predicate<Variable> condition) { return false; }

        @Override
        final void chooseMethod(int mark) {
            satisfied = output.mark != mark && strength.isStrongerThan(output.walkStrength);
        }

        @Override
        final void recalculate() {
            Counts.steps++; // tick
            output.walkStrength = strength;
            output.stays = !isInput();
            if (output.stays) {
                execute();
            }
        }
    }

    /** The variable's value comes from outside. */
    static final class Edit extends Unary {
        Edit(Variable output, Strength.Name name, Planner planner) {
            super(output, name, planner);
        }

        @Override
        boolean isInput() { return true; }
    }

    /** The variable keeps its value. */
    static final class Stay extends Unary {
        Stay(Variable output, Strength.Name name, Planner planner) {
            super(output, name, planner);
        }
    }
}
