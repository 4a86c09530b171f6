package scoring

import "fmt"

// notAsMany appends a clause with the numbers of calls made and expected. If one of them is 0, it appends nothing, because
// the reason says so anyway.
func notAsMany(broken []string, expected, made int) []string {
	if expected == 0 || made == 0 {
		return broken
	}
	return append(broken, fmt.Sprintf("%s made, exactly %s expected", counted(made, "call"), counted(expected, "")))
}

// tooManyCalls returns the clause for a run with more calls than its expectation allows.
func tooManyCalls(limit, made int) string {
	return fmt.Sprintf("%s made, at most %s allowed", counted(made, "call"), counted(limit, ""))
}

// counted returns a number with its noun, if any, and its verb: "1 call was", "3 calls were", "1 is", "3 are".
func counted(n int, noun string) string {
	switch {
	case noun == "" && n == 1:
		return "1 is"
	case noun == "":
		return fmt.Sprintf("%d are", n)
	case n == 1:
		return "1 " + noun + " was"
	}
	return fmt.Sprintf("%d %ss were", n, noun)
}

// overLimit adds a finding for each tool that was called more often than its count allows. It skips a tool that states
// arguments, an output or a condition, because its calls may be unpaired for these.
func (f *findingBuilder) overLimit() {
	var last *Tool
	tools := 0
	for _, t := range f.a.Expected {
		if t == last || t.Count == (Count{}) || t.needs().Endless || t.Arguments != (Payload{}) || t.Output != (Payload{}) || t.Where != nil {
			continue
		}
		if last, tools = t, tools+1; tools > maxRivals {
			return
		}
		f.overLimitOf(t)
	}
}

// overLimitOf adds the finding if a call with the tool's name is unpaired, and no other tool is paired with such a call.
func (f *findingBuilder) overLimitOf(t *Tool) {
	calls, over := 0, 0
	for j := range f.a.Called {
		if class := f.taken[j]; class != CallRepeated && class != CallForbidden && t.names(f.a.Called[j].Name) {
			calls++
			if class == CallUnexpected {
				over++
			}
		}
	}
	most := t.needs().Most
	if over == 0 || calls <= most {
		return
	}
	for _, p := range f.a.Pairs {
		if f.a.Expected[p.Expected] != t && t.names(f.a.Called[p.Called].Name) {
			return
		}
	}
	f.found = append(f.found, Finding{Kind: OverLimit, Name: t.label(), Count: over, Made: calls, Limit: most})
	for j := range f.a.Called {
		if f.taken[j] == CallUnexpected && t.names(f.a.Called[j].Name) {
			f.taken[j] = CallUncertain // explained: no other finding takes it
		}
	}
}
