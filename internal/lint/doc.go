// Package lint holds the rules of the house as tests: which room may import what, and where goroutines, locks and the clock live.
// The tables are in rules_test.go; each rule says why it is there. The linter (.golangci.yml) keeps the import rules as well, so
// that an editor shows them; the tests keep them where there is no linter.
package lint
