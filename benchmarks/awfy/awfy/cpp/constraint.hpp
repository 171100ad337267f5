// A relation of variables that the planner keeps, by giving one of them its value.

#pragma once

#include <functional>
#include <stdexcept>

#include "counts.hpp"
#include "planner.hpp"
#include "strength.hpp"
#include "variable.hpp"

namespace awfy {

class Constraint {
public:
    class Unary;
    class Edit;
    class Stay;

    const Strength& strength;

    Constraint(const Strength::Name& name, const Planner& planner)
        : strength(*planner.strength(name)) {}

    virtual ~Constraint() = default;

    virtual bool is_satisfied() const = 0;

    virtual void mark_unsatisfied() = 0;

    virtual void add_to_graph() = 0;

    virtual void remove_from_graph() = 0;

    // The variable that the constraint determines now.
    virtual Variable* output() const = 0;

    virtual void inputs_do(const std::function<void(Variable*)>& action) const = 0;

    virtual bool inputs_have_some(const std::function<bool(Variable*)>& condition) const = 0;

    // Decides whether the constraint can be satisfied, and which way.
    virtual void choose_method(int mark) = 0;

    // Computes the output's strength, and its value if that is constant.
    virtual void recalculate() = 0;

    // Computes the output's value.
    virtual void execute() {}

    // Whether its value comes from outside.
    virtual bool is_input() const { return false; }

    // Whether each input has a value that is constant, or known to this pass.
    bool inputs_known(int mark) const {
        return !inputs_have_some([mark](const Variable* input) {
            return input->mark != mark && !input->stays && input->determined_by != nullptr;
        });
    }

    void add(Planner& planner) {
        add_to_graph();
        planner.incremental_add(this);
    }

    // It is removed from the graph twice if it is satisfied, as in the suite.
    void destroy(Planner& planner) {
        if (is_satisfied())
            planner.incremental_remove(this);
        remove_from_graph();
    }

    // Satisfies this constraint. Returns the constraint that it overrides, or null.
    Constraint* satisfy(int mark, Planner& planner) {
        counts.steps++;  // tick
        choose_method(mark);
        if (!is_satisfied()) {
            if (strength.name == &Strength::required)
                throw std::logic_error("a required constraint cannot be satisfied");
            return nullptr;
        }
        inputs_do([mark](Variable* input) { input->mark = mark; });
        Variable* const output = this->output();
        Constraint* const overridden = output->determined_by;
        if (overridden != nullptr)
            overridden->mark_unsatisfied();
        output->determined_by = this;
        if (!planner.propagate(this, mark))
            throw std::logic_error("a cycle of constraints");
        output->mark = mark;
        return overridden;
    }
};

// A constraint on one variable. Its classes add themselves when they are complete.
class Constraint::Unary : public Constraint {
public:
    Unary(Variable* output, const Strength::Name& name, const Planner& planner)
        : Constraint(name, planner), output_(output) {}

    bool is_satisfied() const final { return satisfied_; }

    void mark_unsatisfied() final { satisfied_ = false; }

    void add_to_graph() final {
        output_->add_constraint(this);
        satisfied_ = false;
    }

    void remove_from_graph() final {
        output_->remove_constraint(this);
        satisfied_ = false;
    }

    Variable* output() const final { return output_; }

    void inputs_do(const std::function<void(Variable*)>&) const final {}

    bool inputs_have_some(const std::function<bool(Variable*)>&) const final { return false; }

    void choose_method(int mark) final {
        satisfied_ = output_->mark != mark && strength.is_stronger_than(*output_->walk_strength);
    }

    void recalculate() final {
        counts.steps++;  // tick
        output_->walk_strength = &strength;
        output_->stays = !is_input();
        if (output_->stays)
            execute();
    }

private:
    Variable* const output_;
    bool satisfied_ = false;
};

// The variable's value comes from outside.
class Constraint::Edit final : public Unary {
public:
    Edit(Variable* output, const Strength::Name& name, Planner& planner)
        : Unary(output, name, planner) {
        add(planner);
    }

    bool is_input() const override { return true; }
};

// The variable keeps its value.
class Constraint::Stay final : public Unary {
public:
    Stay(Variable* output, const Strength::Name& name, Planner& planner)
        : Unary(output, name, planner) {
        add(planner);
    }
};

}  // namespace awfy
