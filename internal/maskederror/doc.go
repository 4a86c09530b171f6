// Package maskederror says why a text of OTTL failed, without the values that it read. Errors of OTTL may quote values, and the
// values of spans and calls are private.
//
// [OnSpan] is for a text in the span context, and [OnCall] for a condition on a tool call. Both evaluate the text again, on a
// masked copy: it has the types of the original and none of its values. If the copy gives the same error except for values, they
// return that error, which can only quote values of the copy. If no copy gives the same error, they return only the types of the
// error.
//
// A masked copy keeps the texts and numbers that the condition itself spells out, so that the condition takes the same way.
// Whether a condition fails may depend on values, so several maskings are tried.
//
// The package has no state and writes no log.
//
// # Files
//
//	span.go    why a text failed on a span; which errors are the same; the types of attributes
//	call.go    why a condition failed on a call; masked payloads
//	masked.go  maskings, and masked spans
package maskederror
