package awfy;

import java.util.function.Consumer;

/** Keeps a graph of constraints satisfied, and makes plans that compute it again. */
final class Planner {
    /** Constraints in an order in which they can be executed. */
    static final class Plan {
        private final Vector<Constraint> constraints = new Vector<>();

        void append(Constraint constraint) { constraints.append(constraint); }

        void execute() { constraints.forEach(Constraint::execute); }
    }

    private final IdentityDictionary<Strength.Name, Strength> strengths;
    private int mark = 1;

    Planner(IdentityDictionary<Strength.Name, Strength> strengths) { this.strengths = strengths; }

    Strength strength(Strength.Name name) { return strengths.get(name); }

    private int newMark() {
        int last = mark;
        mark++;
        return last;
    }

    /** Satisfies a new constraint, and then each constraint that was overridden. */
    void incrementalAdd(Constraint constraint) {
        int pass = newMark();
        var overridden = constraint.satisfy(pass, this);
        while (overridden != null) {
            overridden = overridden.satisfy(pass, this);
        }
    }

    /** Takes a constraint out, and satisfies those that can be without it. */
    void incrementalRemove(Constraint constraint) {
        var output = constraint.output();
        constraint.markUnsatisfied();
        constraint.removeFromGraph();
        removePropagateFrom(output).forEach(this::incrementalAdd);
    }

    Plan planFrom(Vector<Constraint> constraints) {
        var sources = new Vector<Constraint>();
        constraints.forEach(constraint -> {
            if (constraint.isInput() && constraint.isSatisfied()) {
                sources.append(constraint);
            }
        });
        return makePlan(sources);
    }

    private Plan makePlan(Vector<Constraint> sources) {
        int pass = newMark();
        var plan = new Plan();
        var todo = sources;
        while (!todo.isEmpty()) {
            var constraint = todo.removeFirst();
            var output = constraint.output();
            if (output.mark != pass && constraint.inputsKnown(pass)) {
                plan.append(constraint);
                output.mark = pass;
                addConsuming(output, todo);
            }
        }
        return plan;
    }

    /** Recalculates all that depends on a constraint; whether there is no cycle. */
    boolean propagate(Constraint constraint, int pass) {
        var todo = new Vector<Constraint>();
        todo.append(constraint);
        while (!todo.isEmpty()) {
            var next = todo.removeFirst();
            if (next.output().mark == pass) {
                incrementalRemove(constraint);
                return false;
            }
            next.recalculate();
            addConsuming(next.output(), todo);
        }
        return true;
    }

    /** Constraints that cannot be satisfied any more, the strongest first. */
    private Vector<Constraint> removePropagateFrom(Variable removed) {
        var unsatisfied = new Vector<Constraint>();
        removed.determinedBy = null;
        removed.walkStrength = strength(Strength.ABSOLUTE_WEAKEST);
        removed.stays = true;
        var todo = new Vector<Variable>();
        todo.append(removed);
        while (!todo.isEmpty()) {
            var variable = todo.removeFirst();
            variable.constraints.forEach(constraint -> {
                if (!constraint.isSatisfied()) {
                    unsatisfied.append(constraint);
                }
            });
            consumingDo(variable, constraint -> {
                constraint.recalculate();
                todo.append(constraint.output());
            });
        }
        unsatisfied.sort((one, other) -> one.strength.isStrongerThan(other.strength));
        return unsatisfied;
    }

    private static void addConsuming(Variable variable, Vector<Constraint> todo) {
        consumingDo(variable, todo::append);
    }

    /** The satisfied constraints that read a variable. */
    private static void consumingDo(Variable variable, Consumer<Constraint> action) {
        var determining = variable.determinedBy;
        variable.constraints.forEach(constraint -> {
            if (constraint != determining && constraint.isSatisfied()) {
                action.accept(constraint);
            }
        });
    }

    /** Gives a variable a value from outside, ten times. */
    void change(Variable variable, int value) {
        var edit = new Constraint.Edit(variable, Strength.PREFERRED, this);
        var edits = new Vector<Constraint>();
        edits.append(edit);
        var plan = planFrom(edits);
        for (int i = 0; i < 10; i++) {
            variable.value = value;
            plan.execute();
        }
        edit.destroy(this);
    }
}
