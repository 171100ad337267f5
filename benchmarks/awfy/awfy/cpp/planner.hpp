// Keeps a graph of constraints satisfied, and makes plans that compute it again.

#pragma once

#include <functional>
#include <memory>

#include "strength.hpp"
#include "vector.hpp"

namespace awfy {

class Constraint;
class Variable;

class Planner {
public:
    // Constraints in an order in which they can be executed.
    class Plan {
    public:
        void append(Constraint* constraint) { constraints_->append(constraint); }

        void execute() const;

    private:
        const std::unique_ptr<Vector<Constraint*>> constraints_ =
            std::make_unique<Vector<Constraint*>>();
    };

    explicit Planner(const Strength::Table& strengths) : strengths_(strengths) {}

    const Strength* strength(const Strength::Name& name) const {
        return strengths_.get(&name).get();
    }

    // Satisfies a new constraint, and then each constraint that was overridden.
    void incremental_add(Constraint* constraint);

    // Takes a constraint out, and satisfies those that can be without it.
    void incremental_remove(Constraint* constraint);

    std::unique_ptr<Plan> plan_from(const Vector<Constraint*>& constraints);

    // Recalculates all that depends on a constraint; whether there is no cycle.
    bool propagate(Constraint* constraint, int pass);

    // Gives a variable a value from outside, ten times.
    void change(Variable* variable, int value);

private:
    int new_mark() {
        const int last = mark_;
        mark_++;
        return last;
    }

    std::unique_ptr<Plan> make_plan(std::unique_ptr<Vector<Constraint*>> sources);

    // Constraints that cannot be satisfied any more, the strongest first.
    std::unique_ptr<Vector<Constraint*>> remove_propagate_from(Variable* removed);

    static void add_consuming(const Variable& variable, Vector<Constraint*>& todo);

    // The satisfied constraints that read a variable.
    static void consuming_do(const Variable& variable,
                             const std::function<void(Constraint*)>& action);

    const Strength::Table& strengths_;
    int mark_ = 1;
};

}  // namespace awfy
