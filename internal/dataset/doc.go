// Package dataset keeps many cases by key in little memory, and reads the lines that they come from.
//
// A case is a key and the text that says what is expected. The text stays as it is: whoever looks a case up parses it. So a
// case takes the bytes of its line and about 40 more, and nothing for the garbage collector to follow.
package dataset
