// Package draft writes configurations for a person to edit: from good runs, and from the test cases that other tools keep.
//
// A [Draft] has the expectations that good runs meet, one for each agent, or for each agent and key. So each run has a score of 1.
//
// A [Set] has the test cases of all files that are imported together. A [Case] becomes an expectation for the runs whose own span has its
// key. A note says what a format has and an expectation cannot say, and how often. The command prints all notes, so nothing is dropped in
// silence. To add a format, write a function from a file's text to cases, and add it to [Formats] in formats.go, where the small formats
// are. Its test reads a file of the other tool.
package draft
