package scoring

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/names"
)

// A reference is a method that reproduces another system's score, with its oddities: its rules as data, for one runner.
type reference struct {
	name      string
	system    system
	threshold float64
	mode      referenceMode
	// arguments and output: what is compared besides names. types: a call matches only a tool of its type.
	arguments, output, types bool
	uncaptured               Uncaptured
	// listsRequired: without a list of tools or calls the original crashes.
	listsRequired bool
	// zeroIn is the name of rules by which the score is 0 if no tool is expected, even if none was called, which is surprising. divides: with
	// order, the original divides by zero instead.
	zeroIn  string
	divides *notScored
	// readsAll: payloads are compared even if the names differ.
	readsAll bool
	// strict makes every score below 1 a 0.
	strict bool
	// argumentMode and extra are fields of the alignment.
	argumentMode ArgumentMode
	extra        ExtraEffect
	// The rules of single systems. equalIsFull: DeepEval gives equal arguments a full credit before it counts keys, two nulls and two {}
	// included.
	axion       AxionOptions
	galtea      GalteaOptions
	equalIsFull bool
}

// A system is whose score a reference reproduces.
type system string

const (
	axion     system = "Axion"
	deepEval  system = "DeepEval"
	evalSharp system = "EvalSharp"
	evalLib   system = "eval_lib"
	galtea    system = "Galtea"
)

// nothing returns the score if no tool is expected.
func (t *referenceRun) nothing() (float64, *notScored) {
	switch {
	case t.divides != nil && t.mode == inOrder:
		return 0, t.divides
	case t.zeroIn != "":
		t.note("%s scores 0 where no tools are expected", t.zeroIn)
		return 0, nil
	}
	return oneIf(len(t.calls) == 0 || t.system == evalLib), nil
}

// credit returns the credit of call j for tool i, or why it is not known. It is 0 if the names differ.
func (t *referenceRun) credit(i, j int) (float64, *notScored) {
	e, c := &t.tools[i], &t.calls[j]
	named := e.Name == c.Name && (!t.types || e.Type == c.Type)
	switch {
	case !named && !t.readsAll:
		return 0, nil
	case !t.arguments && !t.output:
		return 1, nil
	case t.system == axion:
		return t.creditInAxion(i, j)
	case t.system == deepEval:
		return t.creditInDeepEval(i, j)
	}
	return t.creditInEvalSharp(i, j, named)
}

// total returns the score, given the sum of credits of one tool or more: recall, unless Axion is to score otherwise.
func (t *referenceRun) total(sum float64) float64 {
	recall, precision := sum/float64(len(t.tools)), 1.0 // of no calls
	if len(t.calls) > 0 {
		precision = sum / float64(len(t.calls))
	}
	switch {
	case t.axion.Scoring == "precision":
		return precision
	case t.axion.Scoring != "f1":
		return recall
	case recall == 0 || precision == 0:
		return 0
	}
	return 2 * precision * recall / (precision + recall)
}

// A referenceMode is how a reference pairs expected tools and calls.
type referenceMode uint8

const (
	positions referenceMode = iota // the same calls at the same positions, or 0
	inOrder                        // the weighted longest common subsequence
	firstCall                      // each tool in turn takes the first call that agrees
	bestCall                       // each tool in turn takes the call with the most credit, the first among equals
	sets                           // the sets of names are equal, or 0
)

// modeOf returns the mode of the options that DeepEval, EvalSharp and eval_lib share.
func modeOf(exact, ordering bool, otherwise referenceMode) referenceMode {
	switch {
	case exact:
		return positions
	case ordering:
		return inOrder
	}
	return otherwise
}

// Name returns the method's key in a configuration.
func (m *reference) Name() string { return m.name }

// Compares reports which payloads are read. Both always are under bestCall in DeepEval: identical calls count once, whatever is compared.
func (m *reference) Compares() (arguments, output bool) {
	once := m.system == deepEval && m.mode == bestCall
	return m.arguments || once, m.output || once
}

func (m *reference) sealed() {}

// Judge scores the run.
func (m *reference) Judge(e *Expectation, calls []Call) Verdict {
	if e != nil && e.turns != nil {
		return judgeTurns(m, e, calls)
	}
	t := referenceRun{reference: m, calls: calls, texts: compare.MaxSteps, align: Alignment{
		Called: calls, Ordered: m.mode == positions || m.mode == inOrder, Extra: m.extra,
		ComparesArguments: m.arguments, ComparesOutput: m.output, ComparesType: m.types, Arguments: m.argumentMode,
	}}
	if e != nil {
		t.tools, t.align.Expected = e.settings.Tools, e.pointers()
	}
	score, f := t.score()
	if f != nil {
		return Verdict{Status: f.status, Threshold: m.threshold, Why: f.why, Alignment: t.align}
	}
	if m.strict && 0 < score && score < 1 {
		t.note("strict_mode makes every score below 1 a 0")
		score = 0
	}
	return Verdict{Score: score, Threshold: m.threshold, Passed: score >= m.threshold, Alignment: t.align}
}

// pointers returns pointers to the expected tools. It shares the plan's list if that has the same tools.
func (e *Expectation) pointers() []*Tool {
	tools := e.settings.Tools
	if len(tools) > 0 && len(e.plans) == 1 && len(e.plans[0].shape.Rows) == len(tools) && len(e.plans[0].required) == len(tools) {
		return e.plans[0].required
	}
	pointers := make([]*Tool, len(tools))
	for i := range tools {
		pointers[i] = &tools[i]
	}
	return pointers
}

// A notScored is why a reference method has no score for a run.
type notScored struct {
	status Status
	why    string
}

func failed(format string, args ...any) *notScored {
	return &notScored{Failed, fmt.Sprintf(format, args...)}
}

func notEvaluable(format string, args ...any) *notScored {
	return &notScored{NotEvaluable, fmt.Sprintf(format, args...)}
}

// A referenceRun scores one run with a reference method.
type referenceRun struct {
	*reference
	tools []Tool
	calls []Call
	align Alignment
	cache [][2]reading // of each tool, then of each call; made when the first payload is read
	// doubts say, by call, why the telemetry is not enough to decide whether an identical one was taken.
	doubts  map[int]*notScored
	texts   names.Budget // for comparing texts
	assumed bool         // some payload that was not captured counted as none
}

func (t *referenceRun) score() (float64, *notScored) {
	switch {
	case t.listsRequired && t.tools == nil:
		return 0, failed("no list of expected tools was given, which %s requires", t.system)
	case t.listsRequired && t.calls == nil:
		return 0, failed("no list of calls was given, which %s requires", t.system)
	case t.mode == sets:
		return t.compareSets(), nil
	}
	if f := t.overload(); f != nil {
		return 0, f
	}
	switch {
	case len(t.tools) == 0 && (t.mode != positions || t.system == axion):
		return t.nothing()
	case t.mode == positions:
		return t.positional()
	case t.mode == inOrder:
		return t.inOrder()
	}
	return t.oneByOne()
}

// pair matches call j with expected tool i.
func (t *referenceRun) pair(i, j int, credit float64) {
	if t.align.Pairs == nil {
		t.align.Pairs = make([]Pair, 0, min(len(t.tools), len(t.calls)))
	}
	// DeepEval's sum of shares may round to a little more than the whole.
	t.align.Pairs = append(t.align.Pairs, Pair{Expected: i, Called: j, Credit: min(credit, 1)})
}

// note adds a fact that no pair shows, unless it is there already.
func (t *referenceRun) note(format string, args ...any) {
	if fact := fmt.Sprintf(format, args...); !slices.Contains(t.align.Notes, fact) {
		t.align.Notes = append(t.align.Notes, fact)
	}
}

// positional returns 1 if the lists have the same length and agree at every position, else 0.
//
// One difference makes the score 0, even if other positions cannot be compared. The reference stops at the first difference,
// so a crash behind it does not count.
func (t *referenceRun) positional() (float64, *notScored) {
	differs := len(t.tools) != len(t.calls)
	if differs {
		t.align.Broken = notAsMany(t.align.Broken, len(t.tools), len(t.calls))
	}
	var open *notScored
	first := true
	for i := range min(len(t.tools), len(t.calls)) {
		credit, f := t.credit(i, i)
		switch {
		case f != nil && f.status == Failed && !differs:
			return 0, f
		case f != nil:
			open = cmp.Or(open, f)
			t.align.Guessed = true
		case credit > 0:
			t.pair(i, i, 1)
		case first:
			differs, first = true, false
			t.note("position %d is the first that differs", i+1)
		}
	}
	if differs {
		return 0, nil
	}
	return 1, open
}

// inOrder finds the pairs of greatest credit that do not cross. It adds credits up from the first tool and call on, as the
// originals do, because sums of floats depend on their order. Among several paths it takes the one that leaves out the latest
// tools, then the latest calls.
func (t *referenceRun) inOrder() (float64, *notScored) {
	const (
		skipTool uint8 = iota
		skipCall
		pairBoth
	)
	n := len(t.calls)
	moves := make([]uint8, len(t.tools)*n)
	sums := make([]float64, 2*(n+1))
	above, now := sums[:n+1], sums[n+1:]
	for i := range t.tools {
		for j := range n {
			credit, f := t.credit(i, j)
			if f != nil {
				return 0, f
			}
			best, move := above[j+1], skipTool
			if now[j] > best {
				best, move = now[j], skipCall
			}
			if above[j]+credit > best {
				best, move = above[j]+credit, pairBoth
			}
			now[j+1], moves[i*n+j] = best, move
		}
		above, now = now, above
	}
	var credits []float64
	for i, j := len(t.tools)-1, n-1; i >= 0 && j >= 0; {
		switch moves[i*n+j] {
		case skipTool:
			i--
		case skipCall:
			j--
		case pairBoth:
			credit, _ := t.credit(i, j) // it was known before
			t.pair(i, j, credit)
			credits = append(credits, credit)
			i, j = i-1, j-1
		}
	}
	slices.Reverse(t.align.Pairs)
	if t.system == deepEval {
		return t.total(sumOfGains(credits)), nil
	}
	return t.total(above[n]), nil
}

// sumOfGains replaces each credit by what it adds to the sum of those behind it, and adds these up, as DeepEval does. Rounding may make this
// differ from the sum of the credits.
func sumOfGains(credits []float64) (sum float64) {
	before := 0.0
	for k, credit := range slices.Backward(credits) {
		credits[k] = before + credit - before
		before += credit
	}
	for _, gain := range credits {
		sum += gain
	}
	return sum
}

// oneByOne gives each tool in turn a call, even if a later tool then has none.
func (t *referenceRun) oneByOne() (float64, *notScored) {
	excluded := make([]bool, len(t.calls)) // it is taken, or an identical call was
	sum := 0.0
	for i := range t.tools {
		j, credit, f := t.choose(i, excluded)
		if f != nil {
			return 0, f
		}
		if credit == 0 {
			continue
		}
		sum += credit
		t.pair(i, j, credit)
		if excluded[j] = true; t.system == deepEval {
			t.excludeIdentical(j, t.tools[i+1:], excluded)
		}
	}
	return t.total(sum), nil
}

// choose returns the call for tool i under bestCall or firstCall, and its credit. DeepEval, where identical calls count once, compares every
// call that is not excluded. So if one of them certainly crashes it, the result is certain even if others cannot be compared.
func (t *referenceRun) choose(i int, excluded []bool) (call int, credit float64, f *notScored) {
	name, calls := t.tools[i].Name, t.calls
	if t.mode == firstCall && !t.arguments { // names alone decide
		for j, out := range excluded {
			if !out && name == calls[j].Name {
				return j, 1, nil
			}
		}
		return 0, 0, nil
	}
	var doubt *notScored
	for j, out := range excluded {
		if out || name != calls[j].Name && !t.readsAll {
			continue
		}
		c, f := t.credit(i, j)
		switch {
		case f == nil && c > credit:
			if call, credit = j, c; t.mode == firstCall {
				return call, credit, nil
			}
		case f == nil:
		case t.doubts[j] != nil:
			doubt = cmp.Or(doubt, t.doubts[j])
		case t.system != deepEval || f.status == Failed:
			return 0, 0, f
		default:
			doubt = cmp.Or(doubt, f)
		}
	}
	if credit > 0 {
		doubt = cmp.Or(doubt, t.doubts[call])
	}
	return call, credit, doubt
}

// compareSets returns 1 if the expected and the called names are the same set, else 0. The alignment has each tool once, and all
// calls of a tool except the first are repeats.
func (t *referenceRun) compareSets() float64 {
	first := make(map[string]int, len(t.calls)) // the first call of a name, or -1 once the name was expected
	for j := range t.calls {
		name := t.galtea.canonical(t.calls[j].Name)
		if _, again := first[name]; again {
			t.align.Repeats = append(t.align.Repeats, j)
		} else {
			first[name] = j
		}
	}
	called, tools := len(first), t.align.Expected
	t.align.Expected = make([]*Tool, 0, len(tools))
	for _, tool := range tools {
		name := t.galtea.canonical(tool.Name)
		call, found := first[name]
		if call < 0 {
			continue
		}
		if found {
			t.pair(len(t.align.Expected), call, 1)
		}
		first[name] = -1
		t.align.Expected = append(t.align.Expected, tool)
	}
	if len(t.align.Pairs) < called {
		t.align.Extra = ExtraForbidden
	}
	return oneIf(len(t.align.Pairs) == called && called == len(t.align.Expected))
}

// oneOf checks a word.
func (c *checker) oneOf(path, word string, words ...string) {
	c.want(slices.Contains(words, word), path, "must be one of %s, is %q", strings.Join(words, ", "), word)
}

// method returns the method, or an error that joins the faults of its options.
func (c *checker) method(m reference) (Method, error) {
	if len(c.faults) > 0 {
		return nil, errors.Join(c.faults...)
	}
	return &m, nil
}
