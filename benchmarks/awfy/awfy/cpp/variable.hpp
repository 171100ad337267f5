// A variable of DeltaBlue's graph of constraints.

#pragma once

#include <memory>

#include "planner.hpp"
#include "strength.hpp"
#include "vector.hpp"

namespace awfy {

class Constraint;

class Variable {
public:
    int value;
    const std::unique_ptr<Vector<Constraint*>> constraints =
        std::make_unique<Vector<Constraint*>>();
    // The constraint that gives this variable its value, or null.
    Constraint* determined_by = nullptr;
    // The last pass of the planner that came here.
    int mark = 0;
    const Strength* walk_strength;
    // Whether its value is constant while a plan is carried out.
    bool stays = true;

    Variable(int value, const Planner& planner)
        : value(value), walk_strength(planner.strength(Strength::absolute_weakest)) {}

    void add_constraint(Constraint* constraint) { constraints->append(constraint); }

    void remove_constraint(Constraint* constraint) {
        constraints->remove(constraint);
        if (determined_by == constraint)
            determined_by = nullptr;
    }
};

}  // namespace awfy
