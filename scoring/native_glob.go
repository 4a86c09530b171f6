package scoring

import "strings"

// MatchesName reports whether a name of a tool is the pattern, in which each * matches any run of characters, or none. It
// takes at most len(pattern) times len(name) steps.
func MatchesName(pattern, name string) bool { return nameMatches(pattern, name) }

func isGlob(pattern string) bool { return strings.Contains(pattern, "*") }

// globMatches reports whether a pattern matches a name. Each * matches any run of characters, or none. It takes at most
// len(pattern) times len(name) steps.
func globMatches(pattern, name string) bool {
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

// names reports whether a call of that name is a call of the tool.
func (t *Tool) names(name string) bool {
	if len(t.Names) == 0 {
		return nameMatches(t.Name, name)
	}
	for _, alternative := range t.Names {
		if nameMatches(alternative, name) {
			return true
		}
	}
	return false
}

func nameMatches(pattern, name string) bool {
	return pattern == name || isGlob(pattern) && globMatches(pattern, name)
}

// label is the tool's name in a reason, such as "search|lookup".
func (t *Tool) label() string {
	if len(t.Names) == 0 {
		return t.Name
	}
	return strings.Join(t.Names, "|")
}

// alternatives are the patterns of which one must fit.
func (t *Tool) alternatives() []string {
	if len(t.Names) == 0 {
		return []string{t.Name}
	}
	return t.Names
}
