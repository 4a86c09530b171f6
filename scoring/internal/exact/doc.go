// Package exact computes recall, precision and F1 (van Rijsbergen, 1979) of calls with partial credits, without rounding.
//
// An expected call and a call that was made are a pair with a credit in [0, 1]. A [Tally] has the sums. Recall R is the credit of
// required calls over their number. Precision P is all credit over the number of calls made. F1 is their harmonic mean
// 2PR/(P+R). If a, b and c are expected and the calls are a, b and x, then R, P and F1 are 2/3. If no call is required, R is 1. If
// no call was made, P is 1.
//
// As float64s, the scores of two lists of tools may differ by rounding errors alone. A [Fraction] is the exact number, which
// [Fraction.Float] rounds once. Nearly all fractions are two 64-bit numbers and need no allocation. Others use math/big.
package exact
