package scoring

import (
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
	// maxNames bounds the names of unpaired calls that are tried against a tool with a * or alternatives.
	maxNames = 256
)

// An explanation is what an alignment shows: the class of each call, the call of each expected tool, and the findings. One pass
// makes all three, so they agree.
type explanation struct {
	a *Alignment
	// classes has the class of each call. CallUnexpected means that neither a pair nor a finding explains the call yet.
	classes []CallClass
	// mates has the call of each expected tool: the paired one, or the one that was most likely meant.
	mates    []mate
	findings []Finding
	// at has the places of findings without details, which are counted.
	at      map[findingKey]int32
	details int
	// over are the tools with a finding [OverLimit].
	over []*Tool
	// free has the unexplained calls of each name, and names the names in the order of their first calls. They are made for the first tool
	// without a call.
	free  map[string][]int
	names []string
}

// A mate is the call of an expected tool, or -1, the finding about the two, or -1, and the credit of the pair, or 0.
type mate struct {
	call, finding int32
	credit        float64
}

type findingKey struct {
	kind          FindingKind
	name, because string
}

// explain explains an alignment: first the pairs, then each expected tool without a call, then the calls that are left.
func explain(a *Alignment) *explanation {
	f := new(explanation)
	f.explain(a)
	return f
}

// explain explains an alignment in the memory of f, which is new or has been reset.
func (f *explanation) explain(a *Alignment) {
	f.a = a
	for range a.Called {
		f.classes = append(f.classes, CallUnexpected)
	}
	for range a.Expected {
		f.mates = append(f.mates, mate{call: -1, finding: -1})
	}
	for _, p := range a.Pairs {
		class := CallMatched
		if p.Credit < 1 {
			class = CallPartlyMatched
		}
		f.classes[p.Called], f.mates[p.Expected] = class, mate{int32(p.Called), -1, p.Credit}
	}
	for _, j := range a.Repeats {
		f.classes[j] = CallRepeated
	}
	for _, j := range a.Forbidden {
		f.classes[j] = CallForbidden
		f.count(ForbiddenCall, a.Called[j].Name, "")
	}
	for _, p := range a.Pairs {
		if p.Credit < 1 {
			f.partly(p)
		}
	}
	for i := range f.mates {
		if f.mates[i].call < 0 {
			f.unpaired(i)
		}
	}
	f.overLimit()
	unauthorised := a.Unauthorised
	for j := range a.Called {
		kind := UnexpectedCall
		if len(unauthorised) > 0 && unauthorised[0] == j {
			kind, unauthorised = UnauthorisedCall, unauthorised[1:]
		}
		if name := a.Called[j].Name; f.classes[j] == CallUnexpected && !f.isOver(name) {
			f.count(kind, name, a.tooEarly(j))
		}
	}
}

// tooEarly says what a call that no required tool asks for should have come after: it matches an optional tool except for that. It is
// empty if there is no such tool.
func (a *Alignment) tooEarly(called int) string {
	for i := range a.Unmet {
		if u := &a.Unmet[i]; u.Called == called && u.Early && u.Tool.Optional {
			return u.why()
		}
	}
	return ""
}

// reset forgets the alignment, and keeps some memory for the next one.
func (f *explanation) reset() {
	const modest = 256
	if cap(f.findings)+cap(f.classes)+cap(f.mates) > modest {
		*f = explanation{}
		return
	}
	clear(f.findings)
	clear(f.at)
	*f = explanation{classes: f.classes[:0], mates: f.mates[:0], findings: f.findings[:0], at: f.at}
}

// sorted returns the findings by kind.
func (f *explanation) sorted() []Finding {
	slices.SortStableFunc(f.findings, func(a, b Finding) int { return int(a.Kind) - int(b.Kind) })
	return f.findings
}

// count adds a finding without details, or counts it if there is an equal one, and returns its index.
func (f *explanation) count(kind FindingKind, name, because string) int32 {
	key := findingKey{kind, name, because}
	at, known := f.at[key]
	if known {
		f.findings[at].Count++
		return at
	}
	if f.at == nil {
		f.at = map[findingKey]int32{}
	}
	at = int32(len(f.findings))
	f.at[key] = at
	f.findings = append(f.findings, Finding{Kind: kind, Name: name, Count: 1, Because: because})
	return at
}

// detail reports whether one more tool may be compared in detail, and counts it.
func (f *explanation) detail() bool {
	f.details++
	return f.details <= maxDetails
}

// add adds a finding about expected tool i and a call.
func (f *explanation) add(kind FindingKind, i, call int, differences []Difference) {
	f.mates[i].call, f.mates[i].finding = int32(call), int32(len(f.findings))
	f.findings = append(f.findings, Finding{Kind: kind, Name: f.a.Called[call].Name, Count: 1, Differences: differences})
}

// partly explains a pair with less than full credit. The method did not find the arguments alike, even if Equal does.
func (f *explanation) partly(p Pair) {
	var differences []Difference
	if f.detail() {
		_, differences = f.a.compare(p.Expected, p.Called)
	}
	f.add(WrongArguments, p.Expected, p.Called, differences)
}

// unpaired explains an expected tool without a call, by the unpaired call that was most likely meant, if there is one.
func (f *explanation) unpaired(i int) {
	detailed := f.detail()
	rivals := f.rivals(f.a.Expected[i], detailed)
	if len(rivals) == 0 {
		f.count(MissingCall, f.a.Expected[i].label(), "")
		return
	}
	call, kind, differences := rivals[0], f.a.presumably(i, rivals[0]), []Difference(nil)
	if detailed {
		call, kind, differences = f.closest(i, rivals)
	}
	f.classes[call], f.mates[i].call = kind.class(), int32(call)
	if len(differences) == 0 {
		because := ""
		if u := f.a.unmet(f.a.Expected[i], call); u != nil && u.kind() == kind {
			because = u.why()
		} else if kind == OutOfOrder && detailed {
			because = f.a.rightPlace(i, call)
		}
		f.mates[i].finding = f.count(kind, f.a.Called[call].Name, because)
	} else {
		f.add(kind, i, call, differences)
	}
}

// class returns the class of a call that a finding has explained.
func (k FindingKind) class() CallClass {
	switch k {
	case OutOfOrder:
		return CallOutOfOrder
	case RepeatedCall:
		return CallRepeated
	}
	return CallMismatched
}

// rivals returns some unexplained calls whose names the tool matches. A tool with a * or alternatives may match many names, so
// it tries them only if detailed is true.
func (f *explanation) rivals(t *Tool, detailed bool) []int {
	if f.free == nil {
		f.index()
	}
	if len(f.free) == 0 {
		return nil
	}
	if len(t.Names) == 0 {
		if rivals := f.unexplained(t.Name); len(rivals) > 0 || !names.IsPattern(t.Name) {
			return rivals
		}
	}
	if !detailed {
		return nil
	}
	for _, name := range f.names[:min(len(f.names), maxNames)] {
		if rivals := f.unexplained(name); len(rivals) > 0 && t.names(name) {
			return rivals
		}
	}
	return nil
}

// index fills free and names.
func (f *explanation) index() {
	f.free = map[string][]int{}
	for j := range f.a.Called {
		if name := f.a.Called[j].Name; f.classes[j] == CallUnexpected {
			if f.free[name] == nil {
				f.names = append(f.names, name)
			}
			f.free[name] = append(f.free[name], j)
		}
	}
}

// unexplained returns the first unexplained calls of a name.
func (f *explanation) unexplained(name string) (few []int) {
	free := f.free[name]
	if free == nil {
		return nil
	}
	for len(free) > 0 && f.classes[free[0]] != CallUnexpected {
		free = free[1:]
	}
	f.free[name] = free
	for _, j := range free[:min(len(free), 2*maxRivals)] {
		if f.classes[j] == CallUnexpected && len(few) < maxRivals {
			few = append(few, j)
		}
	}
	return few
}

// closest returns the rival that differs least from expected tool i, and its differences. Nothing shows which call was meant,
// and this one needs the smallest fix.
func (f *explanation) closest(i int, rivals []int) (best int, kind FindingKind, differences []Difference) {
	for n, j := range rivals {
		k, d := f.a.compare(i, j)
		if n == 0 || len(d) < len(differences) {
			best, kind, differences = j, k, d
		}
	}
	early := f.a.unmet(f.a.Expected[i], best)
	if len(differences) == 0 && (kind == RepeatedCall && !f.repeats(best) || kind == OutOfOrder && early == nil) {
		// The values are equal by our rules. The method has its own rules and found them different.
		kind = f.a.presumably(i, best)
	}
	return best, kind, differences
}

// repeats reports whether a paired call has the same name and payloads as an unpaired one. It tries only the first paired
// calls of the name.
func (f *explanation) repeats(call int) bool {
	c := &f.a.Called[call]
	looked := 0
	for _, p := range f.a.Pairs {
		other := &f.a.Called[p.Called]
		if other.Name != c.Name {
			continue
		}
		if len(differences(ArgumentsExact, CreditBoth, c.Arguments, other.Arguments)) == 0 {
			return true
		}
		if looked++; looked == maxRivals {
			break
		}
	}
	return false
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
	calls, over := 0, 0
	for j := range f.a.Called {
		name, class := f.a.Called[j].Name, f.classes[j]
		if class == CallRepeated || class == CallForbidden || !t.names(name) {
			continue
		}
		calls++
		if class == CallUnexpected && !f.isOver(name) {
			over++
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
	f.findings = append(f.findings, Finding{Kind: OverLimit, Name: t.label(), Count: over, Made: calls, Limit: most})
	f.over = append(f.over, t)
}

// isOver reports whether a finding about the limit of a tool explains the unpaired calls of a name.
func (f *explanation) isOver(name string) bool {
	return slices.ContainsFunc(f.over, func(t *Tool) bool { return t.names(name) })
}

// compare finds the differences between expected tool i and call j, which has its name.
func (a *Alignment) compare(i, j int) (FindingKind, []Difference) {
	t, c := a.Expected[i], &a.Called[j]
	if a.ComparesArguments && !(t.Arguments == Payload{} && a.Arguments != ArgumentsUnset) {
		mode := a.Arguments
		if t.Match != ArgumentsUnset {
			mode = t.Match
		}
		expected, called := t.Arguments, c.Arguments
		if t.tolerant() {
			expected, called = t.tolerated(mode, a.Credit, c.Arguments)
		}
		if d := differences(mode, a.Credit, expected, called); len(d) > 0 {
			t.sayWanted(d)
			return WrongArguments, d
		}
	}
	if a.ComparesOutput && !(t.Output == Payload{} && a.Arguments != ArgumentsUnset) {
		if d := a.outputDifferences(t, c); len(d) > 0 {
			return WrongOutput, d
		}
	}
	unmet := a.unmet(t, j)
	switch {
	case unmet != nil:
		return unmet.kind(), nil
	case a.ComparesType && t.Type != c.Type:
		return WrongType, nil
	case a.Ordered:
		return OutOfOrder, nil
	}
	return RepeatedCall, nil
}

// outputDifferences returns the first differences between the expected and the returned output, if they do not agree.
func (a *Alignment) outputDifferences(t *Tool, c *Call) []Difference {
	mode := ArgumentsExact
	if a.Output == OutputSubset {
		mode = ArgumentsSubset
	}
	if t.Output == c.Output {
		return nil
	}
	e, _ := t.Output.Value()
	v, _ := c.Output.Value()
	expected, called := wantedOutput(t.Output, e), outputOf(c.Output, v)
	if expected.Agrees(&called, a.Output.equal()) {
		return nil
	}
	return differences(mode, CreditBoth, t.Output, c.Output)
}

// differences returns the first differences between two payloads that count in a mode.
func differences(m ArgumentMode, credit Credit, expected, called Payload) []Difference {
	if m == ArgumentsIgnore || expected == called {
		return nil
	}
	rule := compare.Rule{
		IgnoreExtra:   m == ArgumentsSubset || m == ArgumentsFuzzy || m == ArgumentsPartial && credit == CreditExpected,
		IgnoreMissing: m == ArgumentsSuperset,
	}
	e, _ := expected.Value()
	c, _ := called.Value()
	return compare.Differences(orEmptyObject(e), orEmptyObject(c), rule, maxDifferences)
}

// presumably returns the most likely kind of difference between an expected tool and a call of its name, without comparing
// them.
func (a *Alignment) presumably(expected, called int) FindingKind {
	unmet := a.unmet(a.Expected[expected], called)
	switch {
	case unmet != nil:
		return unmet.kind()
	case a.Ordered && !a.inPlace(expected, called):
		return OutOfOrder
	case a.ComparesArguments:
		return WrongArguments
	case a.ComparesOutput:
		return WrongOutput
	case a.ComparesType:
		return WrongType
	case a.Ordered:
		return OutOfOrder
	}
	return RepeatedCall
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

// inPlace reports whether a call is at the position of an expected tool, and no pair crosses the two.
func (a *Alignment) inPlace(expected, called int) bool {
	next, _ := slices.BinarySearchFunc(a.Pairs, expected, func(p Pair, e int) int { return p.Expected - e })
	return expected == called && (next == 0 || a.Pairs[next-1].Called < called) &&
		(next == len(a.Pairs) || a.Pairs[next].Called > called)
}
