package names

import "strings"

// IsPattern reports whether a text has a *.
func IsPattern(text string) bool { return strings.IndexByte(text, '*') >= 0 }

// Match reports whether a pattern matches a name. Each * matches any number of characters, also none, dots and slashes included.
// All other characters match themselves. The work grows with the sum of the lengths.
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

// A Budget is how many steps are left, so that no input takes longer than a bound allows. A step is about the work on one byte. The
// zero value has none.
type Budget int

// Spend takes n steps. It returns false if the budget has fewer, and the budget is then spent.
func (b *Budget) Spend(n int) bool {
	if n > int(*b) {
		*b = -1
		return false
	}
	*b -= Budget(n)
	return true
}

// Spent reports whether Spend has returned false.
func (b *Budget) Spent() bool { return *b < 0 }

// Match is like the function [Match] and spends a step for each byte. If the budget is spent, nothing matches.
func (b *Budget) Match(pattern, name string) bool {
	return b.Spend(16+len(pattern)+len(name)) && Match(pattern, name)
}
