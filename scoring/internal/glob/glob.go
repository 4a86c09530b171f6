// Package glob matches names with patterns, in which each * matches any number of characters, also none.
//
// Patterns may be names of tools, such as "get_*", or paths of keys, such as "meta.*". All characters except * match
// themselves, and a * matches dots and slashes as well. glob.go is the whole package.
package glob

import "strings"

// Is reports whether a text has a *.
func Is(pattern string) bool { return strings.Contains(pattern, "*") }

// Equal reports whether the pattern matches a name. A pattern without a * matches only itself.
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
