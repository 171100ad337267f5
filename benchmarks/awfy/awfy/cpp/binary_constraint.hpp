// A constraint that determines one of two variables by the other one.

#pragma once

#include <functional>

#include "constraint.hpp"
#include "counts.hpp"
#include "planner.hpp"
#include "strength.hpp"
#include "variable.hpp"

namespace awfy {

class BinaryConstraint : public Constraint {
public:
    class Equality;
    class Scale;

    BinaryConstraint(Variable* one, Variable* other, const Strength::Name& name,
                     const Planner& planner)
        : Constraint(name, planner), one(one), other(other) {}

    bool is_forward() const { return direction_ == Direction::forward; }

    bool is_satisfied() const final { return direction_ != Direction::none; }

    void mark_unsatisfied() final { direction_ = Direction::none; }

    void add_to_graph() override {
        one->add_constraint(this);
        other->add_constraint(this);
        direction_ = Direction::none;
    }

    void remove_from_graph() override {
        one->remove_constraint(this);
        other->remove_constraint(this);
        direction_ = Direction::none;
    }

    Variable* input() const { return is_forward() ? one : other; }

    Variable* output() const final { return is_forward() ? other : one; }

    void inputs_do(const std::function<void(Variable*)>& action) const override { action(input()); }

    bool inputs_have_some(const std::function<bool(Variable*)>& condition) const override {
        return condition(input());
    }

    void choose_method(int mark) final {
        if (one->mark == mark) {
            direction_ = towards(*other, mark, Direction::forward);
        } else if (other->mark == mark ||
                   one->walk_strength->is_weaker_than(*other->walk_strength)) {
            direction_ = towards(*one, mark, Direction::backward);
        } else {
            direction_ = towards(*other, mark, Direction::forward);
        }
    }

    void recalculate() override {
        counts.steps++;  // tick
        const Variable* const input = this->input();
        Variable* const output = this->output();
        output->walk_strength = strength.weakest(*input->walk_strength);
        output->stays = input->stays;
        if (output->stays)
            execute();
    }

protected:
    Variable* const one;
    Variable* const other;

private:
    // None if the constraint is not satisfied.
    enum class Direction { none, forward, backward };

    Direction towards(const Variable& output, int mark, Direction wanted) const {
        const bool can_be = output.mark != mark && strength.is_stronger_than(*output.walk_strength);
        return can_be ? wanted : Direction::none;
    }

    Direction direction_ = Direction::none;
};

// Both have the same value.
class BinaryConstraint::Equality final : public BinaryConstraint {
public:
    Equality(Variable* one, Variable* other, const Strength::Name& name, Planner& planner)
        : BinaryConstraint(one, other, name, planner) {
        add(planner);
    }

    void execute() override {
        counts.steps++;  // tick
        output()->value = input()->value;
    }
};

// The other value is the one value times the scale, and the offset.
class BinaryConstraint::Scale final : public BinaryConstraint {
public:
    Scale(Variable* one, Variable* scale, Variable* offset, Variable* other,
          const Strength::Name& name, Planner& planner)
        : BinaryConstraint(one, other, name, planner), scale_(scale), offset_(offset) {
        add(planner);
    }

    void add_to_graph() override {
        BinaryConstraint::add_to_graph();
        scale_->add_constraint(this);
        offset_->add_constraint(this);
    }

    void remove_from_graph() override {
        BinaryConstraint::remove_from_graph();
        scale_->remove_constraint(this);
        offset_->remove_constraint(this);
    }

    void inputs_do(const std::function<void(Variable*)>& action) const override {
        BinaryConstraint::inputs_do(action);
        action(scale_);
        action(offset_);
    }

    bool inputs_have_some(const std::function<bool(Variable*)>& condition) const override {
        return BinaryConstraint::inputs_have_some(condition) || condition(scale_) ||
               condition(offset_);
    }

    void recalculate() override {
        counts.steps++;  // tick
        const Variable* const input = this->input();
        Variable* const output = this->output();
        output->walk_strength = strength.weakest(*input->walk_strength);
        output->stays = input->stays && scale_->stays && offset_->stays;
        if (output->stays)
            execute();
    }

    void execute() override {
        counts.steps++;  // tick
        if (is_forward()) {
            other->value = one->value * scale_->value + offset_->value;
        } else {
            one->value = (other->value - offset_->value) / scale_->value;
        }
    }

private:
    Variable* const scale_;
    Variable* const offset_;
};

}  // namespace awfy
