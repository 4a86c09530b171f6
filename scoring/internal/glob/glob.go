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

// Match reports whether a pattern with a * matches a name. Its work grows with [Steps].
func Match(pattern, name string) bool {
	star := strings.IndexByte(pattern, '*')
	if star < 0 {
		return pattern == name
	}
	if !strings.HasPrefix(name, pattern[:star]) {
		return false
	}
	for {
		name, pattern = name[star:], pattern[star+1:]
		if star = strings.IndexByte(pattern, '*'); star < 0 {
			return strings.HasSuffix(name, pattern)
		}
		// The first place is the best one, because it leaves the most behind it.
		at := strings.Index(name, pattern[:star])
		if at < 0 {
			return false
		}
		name = name[at:]
	}
}

// Steps returns how much work a comparison is at most, in units of about a byte.
func Steps(pattern, name string) int { return 16 + len(pattern) + len(name) }
