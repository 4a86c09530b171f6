package scoring

import (
	"cmp"
	"fmt"
	"slices"

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
	// maxCounted bounds the findings that one more is compared with.
	maxCounted = 128
	// maxExplained bounds the steps of comparing names and calls with each other.
	maxExplained = maxWork / 4
)

// An explanation is what an alignment shows: the matches, and the findings that sum them up.
type explanation struct {
	a *Alignment
	// tools has the call of each expected tool, or -1, and calls the match of each call, which is CallUnexpected until it is explained.
	tools    []int
	calls    []Match
	findings []Finding
	details  int
	// over are the tools with a finding [OverLimit].
	over []*Tool
	// free has the unexplained calls of each name, and names the names in the order of their first calls. They are made for the first tool
	// without a call.
	free  map[string][]int
	names []string
	// work is the budget for comparing names and calls with each other.
	work names.Budget
}

// explain explains an alignment: first the pairs, then each expected tool without a call by the call that was most likely meant, then
// the calls that are left.
func explain(a *Alignment) explanation {
	f := explanation{a: a, tools: make([]int, len(a.Expected)), calls: make([]Match, len(a.Called)), work: maxExplained}
	for i := range f.tools {
		f.tools[i] = -1
	}
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
		f.pair(p)
	}
	for i, call := range f.tools {
		if call < 0 {
			f.unpaired(i)
		}
	}
	f.overLimit()
	for j := range f.calls {
		if f.calls[j].Class == CallUnexpected {
			f.unexpected(&f.calls[j])
		}
	}
	slices.SortStableFunc(f.findings, func(a, b Finding) int { return int(a.Kind) - int(b.Kind) })
	return f
}

// find adds a finding. If it has no differences and equals one of the first findings, it is counted there.
func (f *explanation) find(kind FindingKind, name, because string, differences []Difference) {
	for i := range f.findings[:min(len(f.findings), maxCounted)] {
		x := &f.findings[i]
		if len(differences) == 0 && len(x.Differences) == 0 && x.Kind == kind && x.Name == name && x.Because == because {
			x.Count++
			return
		}
	}
	f.findings = append(f.findings, Finding{Kind: kind, Name: name, Count: 1, Because: because, Differences: differences})
}

// isDetailed reports whether one more tool may be compared in detail, and counts it.
func (f *explanation) isDetailed() bool {
	f.details++
	return f.details <= maxDetails
}

// match sets the match of a tool and a call.
func (f *explanation) match(m Match) { f.tools[m.Expected], f.calls[m.Called] = m.Called, m }

// pair explains a pair. If the credit is not full, the method did not find the arguments alike, even if Equal does.
func (f *explanation) pair(p Pair) {
	m := Match{Expected: p.Expected, Called: p.Called, Class: CallMatched, Credit: p.Credit}
	if p.Credit < 1 {
		m.Class = CallPartlyMatched
		if f.isDetailed() {
			_, m.Differences = f.a.compare(p.Expected, p.Called)
		}
		f.find(WrongArguments, f.a.Called[p.Called].Name, "", m.Differences)
	}
	f.match(m)
}

// unpaired explains expected tool i, which has no call, by the unpaired call that was most likely meant, if there is one. Nothing shows
// which call was meant. The one that differs least needs the smallest fix.
func (f *explanation) unpaired(i int) {
	t, detailed := f.a.Expected[i], f.isDetailed()
	rivals := f.rivals(t)
	if len(rivals) == 0 {
		f.find(MissingCall, t.label(), "", nil)
		return
	}
	m := Match{Expected: i, Called: rivals[0]}
	kind := MissingCall
	if detailed {
		for n, j := range rivals {
			k, d := f.a.compare(i, j)
			if n == 0 || len(d) < len(m.Differences) {
				m.Called, kind, m.Differences = j, k, d
			}
		}
	}
	if len(m.Differences) == 0 {
		kind, m.Because = f.presumably(i, m.Called)
	}
	m.Class = kinds[kind].class
	f.find(kind, f.a.Called[m.Called].Name, m.Because, m.Differences)
	if u := f.a.unmet(t, m.Called); u != nil {
		_, m.Because = u.fault() // besides any differences, which are the finding
	}
	f.match(m)
	free := f.free[f.a.Called[m.Called].Name]
	at := slices.Index(free, m.Called)
	f.free[f.a.Called[m.Called].Name] = slices.Delete(free, at, at+1)
}

// rivals returns the first unexplained calls of a name that the tool has.
func (f *explanation) rivals(t *Tool) []int {
	if f.free == nil {
		f.index()
	}
	candidates := f.names
	if len(t.Names) == 0 && !names.IsPattern(t.Name) {
		candidates = []string{t.Name}
	}
	for i := 0; i < len(candidates) && !f.work.Spent(); i++ {
		if free := f.free[candidates[i]]; t.has(candidates[i], &f.work) && len(free) > 0 {
			return free[:min(len(free), maxRivals)]
		}
	}
	return nil
}

// index fills free and names.
func (f *explanation) index() {
	f.free = map[string][]int{}
	for j := range f.calls {
		if name := f.a.Called[j].Name; f.calls[j].Class == CallUnexpected {
			if f.free[name] == nil {
				f.names = append(f.names, name)
			}
			f.free[name] = append(f.free[name], j)
		}
	}
}

// overLimit adds a finding for each tool that was called more often than its count allows. It skips a tool that states
// arguments, an output or a condition, because its calls may be unpaired for these.
func (f *explanation) overLimit() {
	var last *Tool
	tools := 0
	for _, t := range f.a.Expected {
		if t == last || t.Count == (Count{}) || t.needs().Endless || t.Arguments != (Payload{}) || t.Output != (Payload{}) || t.Where != nil || len(t.After) > 0 {
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
	made, over := 0, 0
	for j := range f.calls {
		m, name := &f.calls[j], f.a.Called[j].Name
		if m.Class == CallRepeated || m.Class == CallForbidden || !t.has(name, &f.work) {
			continue
		}
		if m.Credit > 0 && f.a.Expected[m.Expected] != t {
			return
		}
		made++
		if m.Class == CallUnexpected && f.limited(name) == nil {
			over++
		}
	}
	if most := t.needs().Most; over > 0 && made > most {
		f.findings = append(f.findings, Finding{Kind: OverLimit, Name: t.label(), Count: over, Made: made, Limit: most})
		f.over = append(f.over, t)
	}
}

// limited returns the tool with a finding about its limit that explains the unpaired calls of a name, or nil.
func (f *explanation) limited(name string) *Tool {
	i := slices.IndexFunc(f.over, func(t *Tool) bool { return t.has(name, &f.work) })
	if i < 0 {
		return nil
	}
	return f.over[i]
}

// unexpected explains a call that no expected tool asks for.
func (f *explanation) unexpected(m *Match) {
	name := f.a.Called[m.Called].Name
	if t := f.limited(name); t != nil {
		m.Because = fmt.Sprintf("at most %d", t.needs().Most)
		return
	}
	if _, found := slices.BinarySearch(f.a.Unauthorised, m.Called); found {
		m.Because = "not allowed"
		f.find(UnauthorisedCall, name, "", nil)
		return
	}
	for i := range f.a.Unmet {
		// It matches an optional tool except that it came too early.
		if u := &f.a.Unmet[i]; u.Called == m.Called && u.Early && u.Tool.Optional {
			_, m.Because = u.fault()
			break
		}
	}
	f.find(UnexpectedCall, name, m.Because, nil)
}

// compare finds the differences between the payloads of expected tool i and call j, which has its name.
func (a *Alignment) compare(i, j int) (FindingKind, []Difference) {
	t, c := a.Expected[i], &a.Called[j]
	if a.ComparesArguments && !(t.Arguments == Payload{} && a.Arguments != ArgumentsUnset) {
		mode := cmp.Or(t.Match, a.Arguments)
		expected, _ := t.Arguments.Value()
		called, known := c.Arguments.Value()
		if known && t.tolerant() {
			expected, called = t.tolerated(mode, a.Credit, expected, called)
		}
		if d := differences(mode, a.Credit, expected, called); len(d) > 0 {
			t.sayWanted(d)
			return WrongArguments, d
		}
	}
	if a.ComparesOutput && !(t.Output == Payload{} && a.Arguments != ArgumentsUnset) {
		return WrongOutput, a.outputDifferences(t, c)
	}
	return WrongArguments, nil
}

// outputDifferences returns the first differences between the expected and the returned output, if they do not agree.
func (a *Alignment) outputDifferences(t *Tool, c *Call) []Difference {
	mode := ArgumentsExact
	if a.Output == OutputSubset {
		mode = ArgumentsSubset
	}
	e, _ := t.Output.Value()
	v, _ := c.Output.Value()
	expected, called := wantedOutput(t.Output, e), outputOf(c.Output, v)
	if expected.Agrees(&called, a.Output.equal()) {
		return nil
	}
	return differences(mode, CreditBoth, e, v)
}

// differences returns the first differences between two payloads that count in a mode.
func differences(m ArgumentMode, credit Credit, expected, called Value) []Difference {
	if m == ArgumentsIgnore {
		return nil
	}
	rule := compare.Rule{IgnoreExtra: m.ignoresExtra(credit), IgnoreMissing: m == ArgumentsSuperset}
	return compare.Differences(orEmptyObject(expected), orEmptyObject(called), rule, maxDifferences)
}

// presumably returns the most likely fault of a call of the name of expected tool i, if their payloads show no difference: the values may
// be equal by our rules, and different by those of the method. because is the rule that the call breaks, if one does.
func (f *explanation) presumably(i, call int) (kind FindingKind, because string) {
	a := f.a
	if u := a.unmet(a.Expected[i], call); u != nil {
		return u.fault()
	}
	if a.Ordered {
		because = a.rightPlace(i, call)
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
	arguments, _ := c.Arguments.Value()
	return slices.ContainsFunc(f.a.Pairs, func(p Pair) bool {
		other := &f.a.Called[p.Called]
		if other.Name != c.Name || !f.work.Spend(perCall+other.Arguments.Size()) {
			return false
		}
		made, _ := other.Arguments.Value()
		return Equal(orEmptyObject(made), orEmptyObject(arguments))
	})
}

// rightPlace says where a call that is out of order belongs: on the other side of a pair, or else at the position of the expected tool.
func (a *Alignment) rightPlace(expected, called int) string {
	before := ""
	for _, p := range a.Pairs {
		switch {
		case p.Expected < expected && p.Called > called:
			before = "must come after " + clean(a.Called[p.Called].Name)
		case p.Expected > expected && p.Called < called:
			return "must come before " + clean(a.Called[p.Called].Name)
		}
	}
	if before == "" && expected != called {
		return fmt.Sprintf("must be call %d, is call %d", expected+1, called+1)
	}
	return before
}
