// Package jsonvalue reads JSON without converting it. A number keeps its written form, an object the order of its keys.
// Scoring methods have different rules of equality, so nothing may be lost before a method compares.
//
// # The value
//
// [Decode] reads one document as RFC 8259 defines it and returns a [Value]. A Value is immutable and 16 bytes long: a
// pointer to the document and an index. The document is the text and a tape: one node of 16 bytes for each value and
// each key, in the order of the text. A container comes before all that it holds, so a subtree is one stretch of the
// tape. Strings stay in the text and are unescaped only when [Value.Text] asks for them.
//
//	{"a": [1, 2]}   tape: Object(1 member)  String a  Array(2 elements)  Number 1  Number 2
//
// A [Decoder] does the same and reuses its memory.
//
// # Equality
//
// [Equal] compares numbers by their exact mathematical value, text by code point, arrays in order, and objects without regard
// to order. Equal values have equal [Value.Digest]s, and others have different ones. So a caller that compares one value with
// many others reads each of them once.
//
// An object of 32 members or more has a sorted index, so that no lookup takes quadratic time.
package jsonvalue
