package awfy;

import java.util.function.Consumer;
import java.util.function.Predicate;

/** A constraint that determines one of two variables by the other one. */
abstract class BinaryConstraint extends Constraint {
    private enum Direction { FORWARD, BACKWARD }

    final Variable one;
    final Variable other;
    /** Null if the constraint is not satisfied. */
    private Direction direction;

    BinaryConstraint(Variable one, Variable other, Strength.Name name, Planner planner) {
        super(name, planner);
        this.one = one;
        this.other = other;
    }

    final boolean isForward() { return direction == Direction.FORWARD; }

    @Override
    final boolean isSatisfied() { return direction != null; }

    @Override
    final void markUnsatisfied() { direction = null; }

    @Override
    void addToGraph() {
        one.addConstraint(this);
        other.addConstraint(this);
        direction = null;
    }

    @Override
    void removeFromGraph() {
        one.removeConstraint(this);
        other.removeConstraint(this);
        direction = null;
    }

    final Variable input() { return isForward() ? one : other; }

    @Override
    final Variable output() { return isForward() ? other : one; }

    @Override
    void inputsDo(Consumer<Variable> action) { action.accept(input()); }

    @Override
    boolean inputsHaveSome(Predicate<Variable> condition) { return condition.test(input()); }

    @Override
    final void chooseMethod(int mark) {
        if (one.mark == mark) {
            direction = towards(other, mark, Direction.FORWARD);
        } else if (other.mark == mark || one.walkStrength.isWeakerThan(other.walkStrength)) {
            direction = towards(one, mark, Direction.BACKWARD);
        } else {
            direction = towards(other, mark, Direction.FORWARD);
        }
    }

    private Direction towards(Variable output, int mark, Direction wanted) {
        boolean canBe = output.mark != mark && strength.isStrongerThan(output.walkStrength);
        return canBe ? wanted : null;
    }

    @Override
    void recalculate() {
        Counts.steps++; // tick
        var input = input();
        var output = output();
        output.walkStrength = strength.weakest(input.walkStrength);
        output.stays = input.stays;
        if (output.stays) {
            execute();
        }
    }

    /** Both have the same value. */
    static final class Equality extends BinaryConstraint {
        Equality(Variable one, Variable other, Strength.Name name, Planner planner) {
            super(one, other, name, planner);
            add(planner);
        }

        @Override
        void execute() {
            Counts.steps++; // tick
            output().value = input().value;
        }
    }

    /** The other value is the one value times the scale, and the offset. */
    static final class Scale extends BinaryConstraint {
        private final Variable scale;
        private final Variable offset;

        Scale(Variable one, Variable scale, Variable offset, Variable other,
                Strength.Name name, Planner planner) {
            super(one, other, name, planner);
            this.scale = scale;
            this.offset = offset;
            add(planner);
        }

        @Override
        void addToGraph() {
            super.addToGraph();
            scale.addConstraint(this);
            offset.addConstraint(this);
        }

        @Override
        void removeFromGraph() {
            super.removeFromGraph();
            scale.removeConstraint(this);
            offset.removeConstraint(this);
        }

        @Override
        void inputsDo(Consumer<Variable> action) {
            super.inputsDo(action);
            action.accept(scale);
            action.accept(offset);
        }

        @Override
        boolean inputsHaveSome(Predicate<Variable> condition) {
            return super.inputsHaveSome(condition) || condition.test(scale)
                    || condition.test(offset);
        }

        @Override
        void recalculate() {
            Counts.steps++; // tick
            var input = input();
            var output = output();
            output.walkStrength = strength.weakest(input.walkStrength);
            output.stays = input.stays && scale.stays && offset.stays;
            if (output.stays) {
                execute();
            }
        }

        @Override
        void execute() {
            Counts.steps++; // tick
            if (isForward()) {
                other.value = one.value * scale.value + offset.value;
            } else {
                one.value = (other.value - offset.value) / scale.value;
            }
        }
    }
}
