// How the planner works: with constraints, which are complete only after the planner is declared.

#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "constraint.hpp"
#include "planner.hpp"
#include "strength.hpp"
#include "variable.hpp"
#include "vector.hpp"

namespace awfy {

inline void Planner::Plan::execute() const {
    constraints_->for_each([](Constraint* constraint) { constraint->execute(); });
}

inline void Planner::incremental_add(Constraint* constraint) {
    const int pass = new_mark();
    Constraint* overridden = constraint->satisfy(pass, *this);
    while (overridden != nullptr)
        overridden = overridden->satisfy(pass, *this);
}

inline void Planner::incremental_remove(Constraint* constraint) {
    Variable* const output = constraint->output();
    constraint->mark_unsatisfied();
    constraint->remove_from_graph();
    remove_propagate_from(output)->for_each([this](Constraint* one) { incremental_add(one); });
}

inline std::unique_ptr<Planner::Plan> Planner::plan_from(const Vector<Constraint*>& constraints) {
    auto sources = std::make_unique<Vector<Constraint*>>();
    constraints.for_each([&](Constraint* constraint) {
        if (constraint->is_input() && constraint->is_satisfied())
            sources->append(constraint);
    });
    return make_plan(std::move(sources));
}

inline std::unique_ptr<Planner::Plan> Planner::make_plan(
    std::unique_ptr<Vector<Constraint*>> sources) {
    const int pass = new_mark();
    auto plan = std::make_unique<Plan>();
    const auto todo = std::move(sources);
    while (!todo->is_empty()) {
        Constraint* const constraint = todo->remove_first();
        Variable* const output = constraint->output();
        if (output->mark != pass && constraint->inputs_known(pass)) {
            plan->append(constraint);
            output->mark = pass;
            add_consuming(*output, *todo);
        }
    }
    return plan;
}

inline bool Planner::propagate(Constraint* constraint, int pass) {
    const auto todo = std::make_unique<Vector<Constraint*>>();
    todo->append(constraint);
    while (!todo->is_empty()) {
        Constraint* const next = todo->remove_first();
        if (next->output()->mark == pass) {
            incremental_remove(constraint);
            return false;
        }
        next->recalculate();
        add_consuming(*next->output(), *todo);
    }
    return true;
}

inline std::unique_ptr<Vector<Constraint*>> Planner::remove_propagate_from(Variable* removed) {
    auto unsatisfied = std::make_unique<Vector<Constraint*>>();
    removed->determined_by = nullptr;
    removed->walk_strength = strength(Strength::absolute_weakest);
    removed->stays = true;
    const auto todo = std::make_unique<Vector<Variable*>>();
    todo->append(removed);
    while (!todo->is_empty()) {
        Variable* const variable = todo->remove_first();
        variable->constraints->for_each([&](Constraint* constraint) {
            if (!constraint->is_satisfied())
                unsatisfied->append(constraint);
        });
        consuming_do(*variable, [&](Constraint* constraint) {
            constraint->recalculate();
            todo->append(constraint->output());
        });
    }
    unsatisfied->sort([](const Constraint* one, const Constraint* other) {
        return one->strength.is_stronger_than(other->strength);
    });
    return unsatisfied;
}

inline void Planner::add_consuming(const Variable& variable, Vector<Constraint*>& todo) {
    consuming_do(variable, [&](Constraint* constraint) { todo.append(constraint); });
}

inline void Planner::consuming_do(const Variable& variable,
                                  const std::function<void(Constraint*)>& action) {
    const Constraint* const determining = variable.determined_by;
    variable.constraints->for_each([&](Constraint* constraint) {
        if (constraint != determining && constraint->is_satisfied())
            action(constraint);
    });
}

inline void Planner::change(Variable* variable, int value) {
    const auto edit = std::make_unique<Constraint::Edit>(variable, Strength::preferred, *this);
    const auto edits = std::make_unique<Vector<Constraint*>>();
    edits->append(edit.get());
    const auto plan = plan_from(*edits);
    for (int i = 0; i < 10; i++) {
        variable->value = value;
        plan->execute();
    }
    edit->destroy(*this);
}

}  // namespace awfy
