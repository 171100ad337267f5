package awfy;

/** An incremental solver of constraints; the answer is the sum of the values that are verified. */
final class DeltaBlue extends Benchmark.Sized {
    private IdentityDictionary<Strength.Name, Strength> strengths;
    private long sum;

    @Override
    long run(int length) {
        strengths = Strength.table();
        sum = 0;
        chain(length);
        projection(length);
        return sum;
    }

    private void verify(Variable variable, int expected) {
        if (variable.value != expected) {
            throw new IllegalStateException("a variable has " + variable.value + ", not " + expected);
        }
        sum += expected;
    }

    /** Variables that are equal to their neighbours; the first one changes. */
    private void chain(int length) {
        var planner = new Planner(strengths);
        var variables = new Variable[length + 1];
        for (int i = 0; i <= length; i++) {
            variables[i] = new Variable(0, planner);
        }
        for (int i = 0; i < length; i++) {
            new BinaryConstraint.Equality(variables[i], variables[i + 1], Strength.REQUIRED, planner);
        }
        new Constraint.Stay(variables[length], Strength.STRONG_DEFAULT, planner);
        var edit = new Constraint.Edit(variables[0], Strength.PREFERRED, planner);
        var edits = new Vector<Constraint>();
        edits.append(edit);
        var plan = planner.planFrom(edits);
        for (int i = 0; i < 100; i++) {
            variables[0].value = i;
            plan.execute();
            verify(variables[length], i);
        }
        edit.destroy(planner);
    }

    /** Sources with their images by a common scale and offset; each of the four changes. */
    private void projection(int length) {
        var planner = new Planner(strengths);
        var images = new Vector<Variable>();
        var scale = new Variable(10, planner);
        var offset = new Variable(1000, planner);
        Variable source = null;
        Variable image = null;
        for (int i = 1; i <= length; i++) {
            source = new Variable(i, planner);
            image = new Variable(i, planner);
            images.append(image);
            new Constraint.Stay(source, Strength.DEFAULT, planner);
            new BinaryConstraint.Scale(source, scale, offset, image, Strength.REQUIRED, planner);
        }
        planner.change(source, 17);
        verify(image, 1170);
        planner.change(image, 1050);
        verify(source, 5);
        planner.change(scale, 5);
        for (int i = 1; i < length; i++) {
            verify(images.at(i - 1), i * 5 + 1000);
        }
        planner.change(offset, 2000);
        for (int i = 1; i < length; i++) {
            verify(images.at(i - 1), i * 5 + 2000);
        }
    }
}
