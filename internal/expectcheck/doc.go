// Package expectcheck finds expectations that decide nothing: those that no metric ever uses, because another expectation stands before
// them, and those that every run meets. The configuration makes warnings of what it finds.
//
// [Reach] compares the conditions of expectations (reach.go). [PassesAnything] asks whether a method can fail a run at all
// (passes.go). Neither knows a key of the configuration, and neither reads a span.
package expectcheck
