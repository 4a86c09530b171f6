// Package lint tests the structure of the module: which package may import what, and where goroutines, locks and the clock
// are allowed. It has no code of its own.
//
// The rules are tables in rules_test.go. Each rule has a reason, and a test that breaks it fails with that reason:
//
//   - packages says what each package may import.
//   - restrictedImports says which packages may import a dependency that only some need, such as locks or telemetry.
//   - restrictedCalls says where goroutines start, time is read and timers run.
//   - closures bounds the dependencies that a package brings along.
//   - sizes says which packages may have more than 1,000 lines.
//   - maxFileLines and maxFunctionLines (in lengths_test.go) bound files and functions that are no tests.
//   - words (in words_test.go) says which words comments and pages avoid, and what they say instead.
//   - maxWords (in sentences_test.go) bounds the sentences of comments.
//   - phrases (in sentences_test.go) says which phrases the sentences of comments avoid, and what they say instead.
//   - names_test.go says that a comment that begins with a name begins with the name of what it describes.
//   - skips (skips_test.go) says which tests may skip.
//   - pages_test.go says that the table of CONTRIBUTING.md has each package, and that lists of files in doc.go are complete.
//
// A new package needs a row in packages and in that table. A change of a rule changes the design. Say why in a decision.
//
// The linter (.golangci.yml) checks the import rules as well, so that an editor shows them.
package lint
