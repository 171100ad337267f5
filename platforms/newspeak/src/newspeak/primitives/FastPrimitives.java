package newspeak.primitives;

import java.util.Map;
import java.util.function.DoubleUnaryOperator;
import newspeak.nodes.ExpressionNode;
import newspeak.operators.ArrayAllocateNodeGen;
import newspeak.operators.ArrayFillNodeGen;
import newspeak.operators.ArraySizeNodeGen;
import newspeak.operators.EqualityNodeGen;
import newspeak.operators.IdentityNodeGen;
import newspeak.operators.Otherwise;
import newspeak.operators.RealFunctionNodeGen;
import newspeak.operators.TextAtNodeGen;
import newspeak.operators.TextLengthNodeGen;
import newspeak.operators.TextPartNodeGen;
import newspeak.operators.WholeNodeGen;
import newspeak.runtime.Universe;

/** Primitives with a node for the usual operands, and a function for the others. */
final class FastPrimitives {
  private FastPrimitives() {}

  static void addTo(Map<String, Primitives.NodeMaker> nodes) {
    nodes.put("array:allocate:", (universe, all) -> ArrayAllocateNodeGen.create(all[0], all[1])
        .orElse(function(universe, ArrayPrimitives::noSize)));
    nodes.put("array:fill:", (universe, all) -> ArrayFillNodeGen.create(all[0], all[1])
        .orElse(function(universe, ArrayPrimitives::fillWith)));
    nodes.put("arraySize:", (universe, all) -> ArraySizeNodeGen.create(all[0])
        .orElse(function(universe, BlockPrimitives::wrongArity)));
    nodes.put("same:as:", (universe, all) -> IdentityNodeGen.create(all[0], all[1]));
    nodes.put("equal:to:", (universe, all) -> EqualityNodeGen.create(all[0], all[1]));
    nodes.put("textLength:", (universe, all) -> TextLengthNodeGen.create(all[0])
        .orElse(function(universe, TextPrimitives::length)));
    nodes.put("text:at:", (universe, all) -> TextAtNodeGen.create(all[0], all[1])
        .orElse(function(universe, TextPrimitives::at)));
    nodes.put("text:from:to:", (universe, all) -> TextPartNodeGen.create(all[0], all[1], all[2])
        .orElse(function(universe, TextPrimitives::part)));
    nodes.put("whole:", (universe, all) -> WholeNodeGen.create(all[0])
        .orElse(function(universe, NumberPrimitives::whole)));
    nodes.put("sqrt:", (universe, all) -> real(universe, all[0], Math::sqrt));
    nodes.put("sin:", (universe, all) -> real(universe, all[0], Math::sin));
    nodes.put("cos:", (universe, all) -> real(universe, all[0], Math::cos));
    nodes.put("exp:", (universe, all) -> real(universe, all[0], Math::exp));
    nodes.put("log:", (universe, all) -> real(universe, all[0], Math::log));
  }

  private static ExpressionNode real(
      Universe universe, ExpressionNode operand, DoubleUnaryOperator function) {
    return RealFunctionNodeGen.create(function, operand)
        .orElse(function(universe, NumberPrimitives.of(function)));
  }

  private static Otherwise function(Universe universe, Primitive other) {
    return Otherwise.function(operands -> other.apply(universe, operands));
  }
}
