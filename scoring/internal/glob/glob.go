// Package glob matches names with patterns in which each * matches any run of characters, or none.
//
// Patterns are names of tools, such as "get_*", and paths of keys, such as "meta.*". This package does not know which. All
// characters but * match themselves, and a * matches dots and slashes as well. glob.go is all of it.
package glob

import "strings"

// Is reports whether a text is a pattern: it has a *.
func Is(pattern string) bool { return strings.Contains(pattern, "*") }

// Equal reports whether a name is the pattern, or matches it. A pattern without a * matches itself only.
func Equal(pattern, name string) bool {
	return pattern == name || Is(pattern) && Match(pattern, name)
}

// Match reports whether a pattern with a * matches a name. It takes at most len(pattern) times len(name) steps.
func Match(pattern, name string) bool {
	p, n := 0, 0
	star, retry := -1, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, retry = p, n
			p++
		case p < len(pattern) && pattern[p] == name[n]:
			p++
			n++
		case star >= 0:
			// The text after the last * does not match here, so the * takes one byte more.
			retry++
			p, n = star+1, retry
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
