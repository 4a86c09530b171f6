// Package likeness says how much two objects of JSON have in common, as other systems compute it.
//
// A reference method gives a call a share of credit if its arguments agree in part. Each system has its own formula, and the
// functions here reproduce them to the last bit, oddities included. For the objects {"a":1,"b":2} and {"a":1,"b":3}:
//
//	[Axion]     the mean over the keys, and numbers are alike by their distance: (1 + 2/3) / 2 = 0.8333
//	[DeepEval]  equal keys over all keys: 1/2
//
// [AxionSubset] is Axion's other strategy. It says yes or no. What EvalSharp does stands with the equality of its language:
// see package equality. The native method has its own formulas: see package objects.
//
// # Files
//
//	axion.go     Axion's strategies fuzzy and subset
//	deepeval.go  DeepEval's share of keys
//
// The package knows no tool, no call and no method.
package likeness
