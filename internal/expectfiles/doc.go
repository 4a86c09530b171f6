// Package expectfiles reads the expectations and datasets that stand in files, and reads them again when they have changed.
//
// A configuration names files of expectations by patterns. An expectation may name a dataset. [Files.Read] looks at all of
// them and returns a set of expectations if it is another one than before:
//
//  1. Look at the files (package filewatch). At first they are used as they are. Later a changed file must be the same in two
//     successive reads, because it may still be being written.
//  2. Decode the lists. Each expectation becomes an [Entry], with the line where it stands.
//  3. Read the datasets that have changed (package dataset).
//  4. Have the caller make a set of all entries. Any fault refuses all files, and the last good set stays in use.
//  5. Compare the hash of all contents with that of the last set. Equal contents are no new set.
//
// What an expectation is, and what a set is, are for the caller: both are type parameters. So this package knows no key
// of an expectation, and the types of the configuration stay with the configuration.
//
// # Files
//
//	files.go   looks, and when a change is used
//	load.go    from files to a set
//	decode.go  a list of expectations in YAML
package expectfiles
