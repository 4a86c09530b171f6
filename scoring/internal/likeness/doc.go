// Package likeness computes how much two JSON objects have in common, with the formulas of other systems.
//
// A reference method gives a call partial credit if its arguments agree in part. Each system has its own formula. The
// functions here reproduce them to the last bit, with their oddities. For the objects {"a":1,"b":2} and {"a":1,"b":3}:
//
//	[Axion]     the mean over the keys, and numbers are alike by their distance: (1 + 2/3) / 2 = 0.8333
//	[DeepEval]  equal keys over all keys: 1/2
//
// [AxionSubset] is Axion's other strategy, without partial credit. EvalSharp's formula is in package equality, the native
// method's are in package objects.
//
// # Files
//
//	axion.go     Axion's strategies fuzzy and subset
//	deepeval.go  DeepEval's share of keys
//
// The package knows no tool, no call and no method.
package likeness
