package scoring

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

const (
	// maxDetails bounds the expected tools without full credit that are compared in detail, and maxRivals the calls for each. A
	// reason has no room for more, and hostile input must not make a reason cost more than the score.
	maxDetails = 64
	maxRivals  = 8
	// maxDifferences bounds the differences of one call.
	maxDifferences = 8
	// maxCounted bounds the findings of a kind that count equal ones.
	maxCounted = 128
	// maxExplained bounds the steps of comparing names and calls with each other.
	maxExplained = maxWork / 4
)

// An explanation is what an alignment shows: the matches, and the findings that sum them up. Its memory is reused, so that a reason allocates
// little more than its text.
type explanation struct {
	a Alignment
	// calls has the match of each call, which is CallUnexpected until it is explained.
	calls []Match
	// findings has those of each kind, in the order in which they were found. counted has the first ones without differences.
	findings [len(kinds)][]Finding
	counted  []counted
	// groups has what is known of each name, and groupOf where. next has, by call, the next one of its name to explain, or -1.
	groups  []group
	groupOf map[string]int32
	next    []int32
	// work is the budget for comparing names and calls with each other, and details for tools that are compared in detail.
	work, details names.Budget
	// text is memory for the reason.
	text []byte
}

// A group has the first call of a name that is not explained yet, and its last counted finding, or -1.
type group struct{ first, counted int32 }

// A counted finding has its kind, its place among the findings of the kind, and the counted finding of the same name before it, or -1.
type counted struct {
	kind       FindingKind
	at, before int32
}

var explanations = sync.Pool{New: func() any { return &explanation{groupOf: map[string]int32{}} }}

// explain explains an alignment: first the pairs, then each expected tool without a call by the call that was most likely meant, then
// the calls that are left.
func (a *Alignment) explain() *explanation {
	f := explanations.Get().(*explanation)
	f.a, f.work, f.details = *a, maxExplained, maxDetails // a copy, so that the verdict may be on the stack of a caller
	f.calls = slices.Grow(f.calls[:0], len(a.Called))[:len(a.Called)]
	for j := range f.calls {
		f.calls[j] = Match{Expected: -1, Called: j}
	}
	for _, j := range a.Repeats {
		f.calls[j].Class = CallRepeated
	}
	for _, j := range a.Forbidden {
		f.calls[j].Class = CallForbidden
		f.find(ForbiddenCall, a.Called[j].Name, "", nil)
	}
	for _, p := range a.Pairs {
		m := &f.calls[p.Called]
		m.Expected, m.Class, m.Credit = p.Expected, CallMatched, p.Credit
		if p.Credit < 1 {
			m.Class = CallPartlyMatched
			if f.details.Spend(1) { // the method did not find the arguments alike, even if Equal does
				_, m.Differences = f.a.compare(m.Expected, m.Called)
			}
			f.find(WrongArguments, a.Called[m.Called].Name, "", m.Differences)
		}
	}
	if len(a.Pairs) < len(a.Expected) {
		f.allUnpaired()
	}
	if len(a.Pairs)+len(a.Repeats)+len(a.Forbidden) < len(a.Called) {
		f.overLimit()
		f.unexpected()
	}
	return f
}

// release returns the memory to the pool, without any text of a call. The garbage collector gets memory that only a large alignment needs.
func (f *explanation) release() {
	const modest, few = 1 << 12, 1 << 8
	if len(f.a.Expected)+len(f.a.Called) > modest {
		return
	}
	for kind := range f.findings {
		clear(f.findings[kind])
		f.findings[kind] = f.findings[kind][:0]
	}
	clear(f.calls)
	clear(f.text)
	if len(f.groups) > few { // it takes long to clear a map that was large once
		f.groupOf = map[string]int32{}
	}
	clear(f.groupOf)
	f.a, f.calls, f.counted, f.groups = Alignment{}, f.calls[:0], f.counted[:0], f.groups[:0]
	explanations.Put(f)
}

// find adds a finding. If it has no differences and equals one of the first findings of its kind, it is counted there.
func (f *explanation) find(kind FindingKind, name, because string, differences []Difference) {
	found := f.findings[kind]
	if len(differences) == 0 {
		g := f.group(name)
		for at := g.counted; at >= 0; at = f.counted[at].before {
			if c := f.counted[at]; c.kind == kind && found[c.at].Because == because {
				found[c.at].Count++
				return
			}
		}
		if len(found) < maxCounted {
			f.counted = append(f.counted, counted{kind, int32(len(found)), g.counted})
			g.counted = int32(len(f.counted) - 1)
		}
	}
	f.findings[kind] = append(found, Finding{Kind: kind, Name: name, Count: 1, Because: because, Differences: differences})
}

// group returns the group of a name. It is valid until the next call of group.
func (f *explanation) group(name string) *group {
	g, known := f.groupOf[name]
	if !known {
		g = int32(len(f.groups))
		f.groupOf[name], f.groups = g, append(f.groups, group{-1, -1})
	}
	return &f.groups[g]
}

// allUnpaired explains the expected tools that have no call.
func (f *explanation) allUnpaired() {
	f.next = slices.Grow(f.next[:0], len(f.calls))[:len(f.calls)]
	for j, m := range slices.Backward(f.calls) {
		if m.Class == CallUnexpected {
			g := f.group(f.a.Called[j].Name)
			f.next[j], g.first = g.first, int32(j)
		}
	}
	pairs := f.a.Pairs
	for i := range f.a.Expected {
		if len(pairs) > 0 && pairs[0].Expected == i {
			pairs = pairs[1:]
		} else {
			f.unpaired(i)
		}
	}
}

// unpaired explains expected tool i, which has no call, by the unpaired call that was most likely meant, if there is one. Nothing shows
// which call was meant. The one that differs least needs the smallest fix.
func (f *explanation) unpaired(i int) {
	t, detailed := f.a.Expected[i], f.details.Spend(1)
	best := f.rival(t)
	if best < 0 {
		f.find(MissingCall, t.label(), "", nil)
		return
	}
	kind, differences := MissingCall, []Difference(nil)
	for j, seen, fewest := best, 0, maxDifferences+1; detailed && j >= 0 && seen < maxRivals && fewest > 0; j = f.next[j] {
		if f.calls[j].Class != CallUnexpected {
			continue
		}
		seen++
		if k, d := f.a.compare(i, int(j)); len(d) < fewest {
			best, kind, differences, fewest = j, k, d, len(d)
		}
	}
	m := &f.calls[best]
	m.Expected, m.Differences = i, differences
	if len(differences) == 0 {
		kind, m.Because = f.presumably(i, m.Called)
	}
	m.Class = kinds[kind].class
	f.find(kind, f.a.Called[m.Called].Name, m.Because, differences)
	if u := f.a.unmet(t, m.Called); u != nil {
		_, m.Because = u.fault() // besides any differences, which are the finding
	}
}

// rival returns the first unexplained call of a name that the tool has, or -1. Of several names it is the one that was called first, of
// those that have such calls.
func (f *explanation) rival(t *Tool) int32 {
	if len(t.Names) == 0 && !names.IsPattern(t.Name) {
		return f.firstOf(t.Name)
	}
	first := int32(-1)
	for j := 0; j < len(f.calls) && first < 0; j++ {
		m, name := &f.calls[j], f.a.Called[j].Name
		left := m.Credit == 0 && (m.Class == CallUnexpected || m.Expected >= 0) // by the pairs: a finding may have explained it since
		if left && t.has(name, &f.work) {
			first = f.firstOf(name)
		}
	}
	return first
}

// firstOf returns the first unexplained call of a name, or -1.
func (f *explanation) firstOf(name string) int32 {
	g := f.group(name)
	for g.first >= 0 && f.calls[g.first].Class != CallUnexpected {
		g.first = f.next[g.first]
	}
	return g.first
}

// overLimit adds a finding for each tool that was called more often than its count allows. It skips a tool that states
// arguments, an output or a condition, because its calls may be unpaired for these.
func (f *explanation) overLimit() {
	var last *Tool
	tools := 0
	for _, t := range f.a.Expected {
		if t == last || t.Count == (Count{}) || t.needs().Endless || !t.isBare() {
			continue
		}
		if last, tools = t, tools+1; tools > maxRivals {
			return
		}
		f.overLimitOf(t)
	}
}

// overLimitOf adds the finding if a call with the tool's name is unpaired, and no other tool is paired with such a call.
func (f *explanation) overLimitOf(t *Tool) {
	made := 0
	var over []*Match
	for j := range f.calls {
		m := &f.calls[j]
		if m.Class == CallRepeated || m.Class == CallForbidden || !t.has(f.a.Called[j].Name, &f.work) {
			continue
		}
		if m.Credit > 0 && f.a.Expected[m.Expected] != t {
			return
		}
		made++
		if m.Class == CallUnexpected && m.Because == "" {
			over = append(over, m)
		}
	}
	most := t.needs().Most
	if len(over) == 0 || made <= most {
		return
	}
	because := fmt.Sprintf("at most %d", most)
	rule := Finding{Kind: OverLimit, Name: t.label(), Count: len(over), Because: calls(made) + ", " + because}
	f.findings[OverLimit] = append(f.findings[OverLimit], rule)
	for _, m := range over {
		m.Because = because
	}
}

// unexpected explains the calls that no expected tool asks for, unless a limit explains them.
func (f *explanation) unexpected() {
	for j := range f.calls {
		m, name := &f.calls[j], f.a.Called[j].Name
		if m.Class != CallUnexpected || m.Because != "" {
			continue
		}
		if _, found := slices.BinarySearch(f.a.Unauthorised, j); found {
			m.Because = "not allowed"
			f.find(UnauthorisedCall, name, "", nil)
			continue
		}
		// It may match an optional tool except that it came too early.
		if u := slices.IndexFunc(f.a.Unmet, func(u Unmet) bool { return u.Called == j && u.Before != nil && u.Tool.Optional }); u >= 0 {
			_, m.Because = f.a.Unmet[u].fault()
		}
		f.find(UnexpectedCall, name, m.Because, nil)
	}
}

// compare finds the differences between the payloads of expected tool i and call j, which has its name.
func (a *Alignment) compare(i, j int) (FindingKind, []Difference) {
	t, c := a.Expected[i], &a.Called[j]
	if a.ComparesArguments && !(t.Arguments == Payload{} && a.Arguments != ArgumentsUnset) {
		if d := a.argumentDifferences(t, c); len(d) > 0 {
			return WrongArguments, d
		}
	}
	if a.ComparesOutput && !(t.Output == Payload{} && a.Arguments != ArgumentsUnset) {
		return WrongOutput, a.outputDifferences(t, c)
	}
	return WrongArguments, nil
}

// argumentDifferences returns the first differences between the expected and the called arguments.
func (a *Alignment) argumentDifferences(t *Tool, c *Call) []Difference {
	tolerant, mode := t.tolerant(), cmp.Or(t.Match, a.Arguments)
	if t.Arguments == c.Arguments && !tolerant || mode == ArgumentsIgnore {
		return nil
	}
	expected, _ := t.Arguments.Value()
	called, known := c.Arguments.Value()
	if known && tolerant {
		expected, called = t.tolerated(mode, a.Credit, expected, called)
	}
	rule := compare.Rule{IgnoreExtra: mode.ignoresExtra(a.Credit), IgnoreMissing: mode == ArgumentsSuperset}
	found := compare.Differences(orEmptyObject(expected), orEmptyObject(called), rule, maxDifferences)
	t.sayWanted(found)
	return found
}

// outputDifferences returns the first differences between the expected and the returned output, if they do not agree.
func (a *Alignment) outputDifferences(t *Tool, c *Call) []Difference {
	e, _ := t.Output.Value()
	v, _ := c.Output.Value()
	expected, called := wantedOutput(t.Output, e), outputOf(c.Output, v)
	if expected.Agrees(&called, a.Output.equal()) {
		return nil
	}
	return compare.Differences(orEmptyObject(e), orEmptyObject(v), compare.Rule{IgnoreExtra: a.Output == OutputSubset}, maxDifferences)
}

// presumably returns the most likely fault of a call of the name of expected tool i, if their payloads show no difference: the values may
// be equal by our rules, and different by those of the method. because is the rule that the call breaks, if one does.
func (f *explanation) presumably(i, call int) (kind FindingKind, because string) {
	a := &f.a
	if u := a.unmet(a.Expected[i], call); u != nil {
		return u.fault()
	}
	if a.Ordered {
		because = f.rightPlace(i, call)
	}
	switch {
	case a.ComparesType && a.Expected[i].Type != a.Called[call].Type:
		return WrongType, ""
	case because != "":
		return OutOfOrder, because
	case !a.Ordered && f.repeats(call):
		return RepeatedCall, ""
	case a.ComparesArguments:
		return WrongArguments, ""
	case a.ComparesOutput:
		return WrongOutput, ""
	case a.Ordered:
		return OutOfOrder, ""
	}
	return RepeatedCall, ""
}

// repeats reports whether a paired call has the same name and payloads as an unpaired one. If the work is spent, none has.
func (f *explanation) repeats(call int) bool {
	c := &f.a.Called[call]
	arguments := sync.OnceValue(func() Value { v, _ := c.Arguments.Value(); return orEmptyObject(v) })
	return slices.ContainsFunc(f.a.Pairs, func(p Pair) bool {
		other := &f.a.Called[p.Called]
		if other.Name != c.Name || !f.work.Spend(perCall+other.Arguments.Size()) {
			return false
		}
		made, _ := other.Arguments.Value()
		return Equal(orEmptyObject(made), arguments())
	})
}

// rightPlace says where a call that is out of order belongs: on the other side of a pair, or else at the position of the expected tool.
func (f *explanation) rightPlace(expected, called int) string {
	after := -1
	for _, p := range f.a.Pairs {
		switch {
		case p.Expected < expected && p.Called > called:
			after = p.Called
		case p.Expected > expected && p.Called < called:
			return "must come before " + clean(f.a.Called[p.Called].Name)
		}
	}
	switch {
	case after >= 0:
		return "must come after " + clean(f.a.Called[after].Name)
	case expected != called:
		return fmt.Sprintf("must be call %d, is call %d", expected+1, called+1)
	}
	return ""
}
