package reconcile

import (
	"cmp"
	"slices"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/copies"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/results"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// The process that sent a run's span decides about the run. Another process, such as a protocol's server, can complete the
// calls of the run and can add calls. It removes and changes nothing, and a run that depends on it says so.

// Reconciled has the calls of a run, after tool spans and model responses of all processes were compared.
type Reconciled struct {
	Calls           []agentrun.PendingCall
	Duplicates      int
	DependsOnOthers bool // only another process recorded some of the calls
	Contradicted    bool // one call ID is that of several calls
	NoMessages      bool // see [agentrun.Run]
}

// Recorded is everything that was recorded about a run.
type Recorded struct {
	Process agentrun.Process // of the run's span
	// Home is the process that decides about the run, zero if every process does.
	Home      agentrun.Process
	Calls     []agentrun.PendingCall
	Responses []agentrun.ModelResponse
	Results   map[agentrun.ProcessCallID]agentrun.TimedResult // that models were shown
}

// part is what one process recorded about a run.
type part struct {
	process   agentrun.Process
	calls     []agentrun.PendingCall
	responses []agentrun.ModelResponse
}

// Run compares what the processes recorded about a run: first the run's own process, then the others.
func (r *Reconciler) Run(s Recorded) Reconciled {
	if p, sole := agentrun.SoleProcess(s.Calls, s.Responses); sole {
		if p = cmp.Or(p, s.Process); !p.DiffersFrom(s.Home) {
			return r.part(part{p, s.Calls, s.Responses}, s.Results)
		}
	}
	var own, others Reconciled
	for _, p := range s.parts() {
		one := r.part(p, s.Results)
		into := &others
		if p.process == s.Home || s.Home == 0 && len(own.Calls) == 0 {
			into = &own
			own.NoMessages = one.NoMessages
		}
		into.Calls = append(into.Calls, one.Calls...)
		into.Duplicates += one.Duplicates
		into.Contradicted = into.Contradicted || one.Contradicted
	}
	slices.SortStableFunc(others.Calls, agentrun.ComparePendingCalls)
	m := processMerge{own: own.Calls, home: s.Home, below: r.below, compare: &r.compare, work: r.work}
	m.merge(others.Calls)
	slices.SortStableFunc(m.own, agentrun.ComparePendingCalls)
	return Reconciled{
		Calls: m.own, Duplicates: own.Duplicates + others.Duplicates + m.duplicates,
		Contradicted:    own.Contradicted || others.Contradicted,
		DependsOnOthers: s.Home != 0 && m.added, NoMessages: own.NoMessages && len(m.own) == 0,
	}
}

// part compares what one process recorded.
func (r *Reconciler) part(p part, shown map[agentrun.ProcessCallID]agentrun.TimedResult) Reconciled {
	kept, contradicted := r.mergeIDs(p.calls)
	one := Reconciled{
		Duplicates: len(p.calls) - len(kept), Contradicted: contradicted,
		NoMessages: r.set.Sources == agentrun.Messages && len(kept) > 0 &&
			!slices.ContainsFunc(p.responses, func(a agentrun.ModelResponse) bool { return len(a.Requests) > 0 }),
	}
	one.Calls, contradicted = r.reconcileResponses(kept, p.responses, results.Unique{Shown: shown, Process: p.process})
	one.Contradicted = one.Contradicted || contradicted
	return one
}

// parts returns what each process recorded, in the order of their first records. An unknown process counts as the run's own.
func (s *Recorded) parts() (parts []part) {
	at := make(map[agentrun.Process]int)
	of := func(p agentrun.Process) *part {
		p = cmp.Or(p, s.Process)
		i, known := at[p]
		if !known {
			i = len(parts)
			at[p], parts = i, append(parts, part{process: p})
		}
		return &parts[i]
	}
	for i := range s.Calls {
		p := of(s.Calls[i].Process)
		p.calls = append(p.calls, s.Calls[i])
	}
	for i := range s.Responses {
		p := of(s.Responses[i].Process)
		p.responses = append(p.responses, s.Responses[i])
	}
	return parts
}

// processMerge merges records of other processes into the calls of a run.
type processMerge struct {
	own        []agentrun.PendingCall
	home       agentrun.Process
	below      map[agentrun.SpanKey]pcommon.SpanID
	duplicates int
	added      bool

	bySpan map[pcommon.SpanID]int
	byID   compare.CallIndex[int]
	byTool map[string][]int
	taken  map[int]bool // calls that were matched with a request of a model

	compare *compare.Calls
	work    *compare.Work
}

// merge adds calls of others, which are in order, or completes the run's own calls with them.
func (m *processMerge) merge(calls []agentrun.PendingCall) {
	if len(calls) == 0 {
		return
	}
	m.bySpan, m.byTool, m.taken = make(map[pcommon.SpanID]int, len(m.own)), make(map[string][]int), make(map[int]bool)
	known := len(m.own)
	for i := range m.own {
		m.note(i)
	}
	for i := range calls {
		r := &calls[i]
		if at := m.find(r); at != none {
			copies.Complete(&m.own[at], r, m.home == 0)
			m.duplicates++
			continue
		}
		if r.Source == agentrun.SourceModel && m.home != 0 && known > 0 {
			continue // a request of another process's model counts only where no call is known
		}
		m.added = true
		m.own = append(m.own, *r)
		if m.home == 0 {
			m.note(len(m.own) - 1) // all processes of a whole trace are equal
		}
	}
}

func (m *processMerge) note(i int) {
	r := &m.own[i]
	if _, again := m.bySpan[r.ID]; !again && !r.ID.IsEmpty() && r.Source != agentrun.SourceModel {
		m.bySpan[r.ID] = i
	}
	if _, again := m.byID.Find(r.CallID, r.Name.Value()); !again {
		m.byID.Add(r.CallID, r.Name.Value(), i)
	}
	tool := m.compare.ToolKey(r.Name)
	m.byTool[tool] = append(m.byTool[tool], i)
}

// find returns the call that another process recorded again, or none. The record is right below that call, or has its span
// ID or its call ID. If only a model response recorded one of the two, it is the next call of that name.
func (m *processMerge) find(r *agentrun.PendingCall) int {
	if above, known := m.below[r.Key()]; known {
		if i, known := m.bySpan[above]; known && m.own[i].Name == r.Name && m.isSame(&m.own[i], r) {
			return i
		}
	}
	if i, known := m.bySpan[r.ID]; known && r.Source != agentrun.SourceModel && copies.Agree(&m.own[i], r, m.compare) && m.isSame(&m.own[i], r) {
		return i
	}
	if i, known := m.byID.Find(r.CallID, r.Name.Value()); known && m.isSame(&m.own[i], r) {
		return i
	}
	tool := m.compare.ToolKey(r.Name)
	alike := m.byTool[tool]
	for len(alike) > 0 && m.taken[alike[0]] {
		*m.work++
		alike = alike[1:]
	}
	m.byTool[tool] = alike
	for _, i := range alike[:min(len(alike), compare.MaxCandidates)] {
		if !m.taken[i] && (r.Source == agentrun.SourceModel || m.own[i].Source == agentrun.SourceModel) && m.isSame(&m.own[i], r) {
			m.taken[i] = true
			return i
		}
	}
	return none
}

// isSame reports whether a record of another process may be of that call: nothing in it contradicts the call. A
// protocol's server may write the arguments in another form.
func (m *processMerge) isSame(own, r *agentrun.PendingCall) bool {
	if own.Process == r.Process || own.CallID != "" && r.CallID != "" && own.CallID != r.CallID {
		return false
	}
	if m.home == 0 && (own.Name != r.Name || own.Status == scoring.StatusFailed && r.Status != scoring.StatusFailed) {
		return false // either may be true, and calls that failed may not count
	}
	*m.work++
	return m.home != 0 && r.Traits.MCP || m.compare.SameArguments(own, r)
}
