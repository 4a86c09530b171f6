// Package exact divides whole numbers without rounding, so that scores are compared exactly.
//
// A score is a credit over a number of calls. Two lists of tools may have scores that differ in the last bit of a float64
// alone, and an F1 score that is computed in several steps is rounded in each of them. A [Fraction] is the number itself.
// [Fraction.Float] rounds it once.
//
// Nearly all fractions are two numbers of 64 bits, and cost no allocation. Others are a number of math/big.
//
// The package knows no tool, no call and no credit. fraction.go is all of it.
package exact
