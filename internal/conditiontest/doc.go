// Package conditiontest makes random conditions and attributes for tests.
//
// A condition is the text of an expectation's `when`, in OTTL. The processor finds the expectations of a run by an index,
// without evaluating every condition. Tests compare the index with OTTL itself, on random conditions and random spans:
//
//	conditiontest.Condition(random, 2)  // attributes["a"] == "x" and not (name == "y")
//	conditiontest.Attribute(random.IntN, span.Attributes(), "a", "x")
//
// Conditions use few paths and few values, so that many of them hold. Some cannot be indexed, such as IsMatch(name, "x").
// Attributes have the wanted value, a value of another type, or are missing.
//
// # Files
//
//	conditiontest.go  both functions
package conditiontest
