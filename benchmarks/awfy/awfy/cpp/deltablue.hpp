// An incremental solver of constraints; the answer is the sum of the values that are verified.

#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include "benchmark.hpp"
#include "binary_constraint.hpp"
#include "constraint.hpp"
#include "planner.hpp"
#include "planning.hpp"
#include "strength.hpp"
#include "variable.hpp"
#include "vector.hpp"

namespace awfy {

class DeltaBlue final : public Benchmark::Sized {
public:
    std::int64_t run(int length) override {
        strengths_ = Strength::table();
        sum_ = 0;
        chain(length);
        projection(length);
        return sum_;
    }

private:
    // Variables and constraints refer to each other. So each test has arrays that own them.
    using Variables = std::unique_ptr<Variable>[];
    using Constraints = std::unique_ptr<Constraint>[];

    void verify(const Variable* variable, int expected) {
        if (variable->value != expected) {
            throw std::logic_error("a variable has " + std::to_string(variable->value) + ", not " +
                                   std::to_string(expected));
        }
        sum_ += expected;
    }

    // Variables that are equal to their neighbours; the first one changes.
    void chain(int length) {
        const auto planner = std::make_unique<Planner>(*strengths_);
        const auto variables = std::make_unique<Variables>(length + 1);
        const auto equalities = std::make_unique<Constraints>(length);
        for (int i = 0; i <= length; i++)
            variables[i] = std::make_unique<Variable>(0, *planner);
        for (int i = 0; i < length; i++) {
            equalities[i] = std::make_unique<BinaryConstraint::Equality>(
                variables[i].get(), variables[i + 1].get(), Strength::required, *planner);
        }
        const auto stay = std::make_unique<Constraint::Stay>(variables[length].get(),
                                                             Strength::strong_default, *planner);
        const auto edit =
            std::make_unique<Constraint::Edit>(variables[0].get(), Strength::preferred, *planner);
        const auto edits = std::make_unique<Vector<Constraint*>>();
        edits->append(edit.get());
        const auto plan = planner->plan_from(*edits);
        for (int i = 0; i < 100; i++) {
            variables[0]->value = i;
            plan->execute();
            verify(variables[length].get(), i);
        }
        edit->destroy(*planner);
    }

    // Sources with their images by a common scale and offset; each of the four changes.
    void projection(int length) {
        const auto planner = std::make_unique<Planner>(*strengths_);
        const auto variables = std::make_unique<Variables>(2 * length);
        const auto constraints = std::make_unique<Constraints>(2 * length);
        const auto images = std::make_unique<Vector<Variable*>>();
        const auto scale = std::make_unique<Variable>(10, *planner);
        const auto offset = std::make_unique<Variable>(1000, *planner);
        Variable* source = nullptr;
        Variable* image = nullptr;
        for (int i = 1; i <= length; i++) {
            variables[2 * i - 2] = std::make_unique<Variable>(i, *planner);
            variables[2 * i - 1] = std::make_unique<Variable>(i, *planner);
            source = variables[2 * i - 2].get();
            image = variables[2 * i - 1].get();
            images->append(image);
            constraints[2 * i - 2] =
                std::make_unique<Constraint::Stay>(source, Strength::default_, *planner);
            constraints[2 * i - 1] = std::make_unique<BinaryConstraint::Scale>(
                source, scale.get(), offset.get(), image, Strength::required, *planner);
        }
        planner->change(source, 17);
        verify(image, 1170);
        planner->change(image, 1050);
        verify(source, 5);
        planner->change(scale.get(), 5);
        for (int i = 1; i < length; i++)
            verify(images->at(i - 1), i * 5 + 1000);
        planner->change(offset.get(), 2000);
        for (int i = 1; i < length; i++)
            verify(images->at(i - 1), i * 5 + 2000);
    }

    std::unique_ptr<Strength::Table> strengths_;
    std::int64_t sum_ = 0;
};

}  // namespace awfy
