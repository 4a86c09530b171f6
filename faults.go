package toolcorrectnessprocessor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// faults collects what is wrong with a configuration, so that all of it is reported at once. Every fault names a key,
// its value and the rule.
type faults struct {
	all  *faultList
	path string
}

type faultList struct {
	faults []error
	// unread are the paths of values that could not be read. What stands in for them breaks no rule.
	unread []string
}

// fault is what is wrong with the value at path.
type fault struct{ path, rule string }

func (x fault) Error() string {
	if x.path == "" {
		return x.rule
	}
	return x.path + ": " + x.rule
}

func newFaults() *faults { return &faults{all: &faultList{}} }

// under returns a collector into the same list for what stands below key.
func (f *faults) under(key string) *faults { return &faults{all: f.all, path: joinPath(f.path, key)} }

func joinPath(path, key string) string {
	switch {
	case path == "":
		return key
	case key == "" || strings.HasPrefix(key, "["):
		return path + key
	}
	return path + "." + key
}

// add notes a fault of the value at key.
func (f *faults) add(key, rule string, args ...any) {
	path := joinPath(f.path, key)
	if !slices.ContainsFunc(f.all.unread, func(above string) bool { return isBelow(path, above) }) {
		f.all.faults = append(f.all.faults, fault{path, fmt.Sprintf(rule, args...)})
	}
}

// isBelow reports whether path is above itself or stands below it.
func isBelow(path, above string) bool {
	rest, ok := strings.CutPrefix(path, above)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// join notes every part of err, whose paths begin where f stands.
func (f *faults) join(err error) {
	if parts, ok := err.(interface{ Unwrap() []error }); ok {
		for _, part := range parts.Unwrap() {
			f.join(part)
		}
		return
	}
	var own fault
	var scored scoring.Fault
	switch {
	case errors.As(err, &own):
		f.add(own.path, "%s", own.rule)
	case errors.As(err, &scored):
		f.add(scored.Path, "%s", scored.Rule)
	default:
		f.add("", "%v", err)
	}
}

// err joins all faults.
func (f *faults) err() error { return errors.Join(f.all.faults...) }

func (f *faults) oneOf(key, word string, words ...string) bool {
	ok := slices.Contains(words, word)
	if !ok {
		f.add(key, "must be %s, is %q%s", alternatives(words), word, suggestion(word, words))
	}
	return ok
}

func (f *faults) upTo(key string, n, high int) {
	if n < 1 || n > high {
		f.add(key, "must be from 1 to %d, is %d", high, n)
	}
}

// alternatives joins words as prose does: a, b or c.
func alternatives(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// suggestion names the word that was probably meant, if one is close.
func suggestion(word string, words []string) string {
	best, distance := "", 1+len(word)/4
	for _, w := range words {
		if d := levenshtein.ComputeDistance(strings.ToLower(word), strings.ToLower(w)); d <= distance && d < len(w) {
			best, distance = w, d-1
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
