// Package exact divides whole numbers without rounding, so that scores are compared exactly.
//
// A score is a credit over a number of calls. As float64s, the scores of two lists of tools may differ by rounding errors
// alone. A [Fraction] is the exact number. [Fraction.Float] rounds it once.
//
// Nearly all fractions are two 64-bit numbers and need no allocation. Others use math/big.
//
// The package knows no tool, no call and no credit. fraction.go is the whole package.
package exact
