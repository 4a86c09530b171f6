// Package wrapped takes the arguments of a tool out of what an instrumentation wrote of its call.
//
// In: the payload that the instrumentation wrote. Out: the arguments in it, or the payload as it is.
//
// Some instrumentations always write how a tool was called instead of its arguments. A model may write an object of the same form
// as its arguments. So each function knows one form and is only for instrumentations that always write it. The object must have
// all keys of the form and no other, and it is taken apart once.
//
// wrapped.go has the forms. value.go makes payloads of values in a larger document.
package wrapped
