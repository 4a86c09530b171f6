package correlate

import (
	"strconv"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/compare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/fairshare"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/summaries"
)

// A Correlator joins closed runs that are one, though their spans are in several traces. It is for one goroutine at a time.
type Correlator struct {
	set           agentrun.Settings
	bundles       map[string]*bundle // by the ids that lead to them
	conversations compare.Texts      // their IDs, because a sender decides how long they are
	// due has the bundles in the order of their creation; their times may change.
	due       []*bundle
	size      int
	runs      int
	work      compare.Work // the work of joining runs
	summaries *summaries.Cache
	now       pcommon.Timestamp  // when runs arrived last
	lost      fairshare.LostKeys // those of bundles that were evicted
}

// bundle has the runs that have an id in common, directly or by way of others.
type bundle struct {
	runs []agentrun.Run
	keys []string  // no key is in it twice
	last time.Time // when the last run arrived
	size int
	into *bundle // where it was merged
	// withAgentSpan and hasConversation: at least one of the runs has an agent span or a conversation; see waitOf.
	withAgentSpan, hasConversation bool
	lacks                          bool // a run of another process has calls that belong to one of the runs
}

// Settings are those of runs, and those of the memory of closed runs.
type Settings struct {
	agentrun.Settings
	Summaries summaries.Settings
}

// New returns an empty Correlator.
func New(set Settings) *Correlator {
	s := &Correlator{set: set.Settings, bundles: make(map[string]*bundle)}
	s.summaries = summaries.New(set.Summaries, &s.work)
	return s
}

// SummaryBytes is how many bytes the remembered runs take.
func (s *Correlator) SummaryBytes() int { return s.summaries.Bytes() }

// RestoreSummary remembers a closed run, by its evidence: see [summaries.Cache.Restore].
func (s *Correlator) RestoreSummary(now time.Time, evidence []byte) error {
	return s.summaries.Restore(pcommon.NewTimestampFromTime(now), evidence)
}

// Size is how many bytes the correlator keeps alive, as an estimate.
func (s *Correlator) Size() int { return s.size }

// mayCorrelate reports whether a run may be a part of a longer one.
func (s *Correlator) mayCorrelate(r *agentrun.Run) bool {
	if s.set.WholeTrace {
		return false
	}
	return r.Step || r.SharesCalls || s.set.Conversations && r.Conversation != ""
}

// Take takes over the runs that may be parts of longer ones, and returns the others.
func (s *Correlator) Take(now time.Time, runs []agentrun.Run) (others []agentrun.Run) {
	s.now = pcommon.NewTimestampFromTime(now)
	lacking, lost := s.keysOfOthers(runs)
	others = runs[:0]
	for i := range runs {
		if r := &runs[i]; s.mayCorrelate(r) {
			s.add(now, *r)
		} else {
			s.summarize(r)
			others = append(others, *r)
		}
	}
	clear(runs[len(others):])
	for _, key := range lacking {
		if g := s.bundles[key]; g != nil {
			g.lacks = true
		}
	}
	if len(lost) > 0 {
		s.lost.Add(lost, s.expected())
	}
	return others
}

// keysOfOthers returns the keys of runs that lack calls, because runs of other processes have these. Such runs may wait already.
// What is in lost leads to such runs that may still come.
func (s *Correlator) keysOfOthers(runs []agentrun.Run) (lacking, lost []string) {
	for i := range runs {
		r, from := &runs[i], len(lacking)
		ids := r.OthersIDs
		r.OthersIDs = nil
		if s.set.WholeTrace {
			continue
		}
		for _, id := range ids {
			lacking = appendKey(lacking, id)
		}
		if r.OthersShare {
			lost = append(lost, lacking[from:]...)
		}
		for _, id := range r.OthersIn { // there are none if runs are no conversations
			lacking, lost = append(lacking, conversationKey+id), append(lost, conversationKey+id)
		}
	}
	return lacking, lost
}

// summarize remembers a run that is judged without the correlator.
func (s *Correlator) summarize(r *agentrun.Run) {
	if r.HasAgentSpan() {
		s.summaries.Remember(s.now, r)
	}
}

// add takes over a run.
func (s *Correlator) add(now time.Time, r agentrun.Run) {
	g := &bundle{last: now}
	s.due = append(s.due, g)
	size, grown := runBytes(&r), s.conversations.Add(&r.Conversation)
	keys := s.keys(&r)
	r.Complete = !s.lost.Meet(keys, s.now, s.expected()) && r.Complete // a part of it may have been evicted
	for _, key := range keys {
		if known := s.bundles[key]; known == nil {
			s.bundles[key], g.keys = g, append(g.keys, key)
			size += keyBytes + len(key)
		} else if known != g {
			g = s.merge(known, g)
		}
	}
	g.last, g.size = now, g.size+size
	g.withAgentSpan = g.withAgentSpan || r.HasAgentSpan()
	g.hasConversation = g.hasConversation || s.set.Conversations && r.Conversation != ""
	g.runs = append(g.runs, r)
	s.size, s.runs = s.size+size+grown, s.runs+1
}

// merge adds the content of b to a.
func (s *Correlator) merge(a, b *bundle) *bundle {
	if len(a.keys) < len(b.keys) {
		a, b = b, a
	}
	a.runs = append(a.runs, b.runs...)
	a.keys = append(a.keys, b.keys...)
	a.size += b.size
	a.lacks = a.lacks || b.lacks
	a.withAgentSpan, a.hasConversation = a.withAgentSpan || b.withAgentSpan, a.hasConversation || b.hasConversation
	s.work += compare.Work(len(b.runs) + len(b.keys))
	for _, key := range b.keys {
		s.bundles[key] = a
	}
	b.runs, b.keys, b.into = nil, nil, a
	return a
}

// keys returns the IDs that lead to runs of the same bundle.
func (s *Correlator) keys(r *agentrun.Run) []string {
	var keys []string
	if s.set.Conversations && r.Conversation != "" {
		keys = append(keys, conversationKey+r.Conversation)
	}
	for i := range r.Calls {
		keys = appendKey(keys, r.CallID(i))
	}
	for _, id := range r.AnsweredIDs {
		keys = appendKey(keys, agentrun.ProcessCallID{Process: r.Process(), ID: id})
	}
	return keys
}

// conversationKey begins the key of a conversation.
const conversationKey = "conversation "

// appendKey appends the key of a call, if only one call can have the ID.
func appendKey(keys []string, id agentrun.ProcessCallID) []string {
	if !agentrun.IsUniqueCallID(id.ID) {
		return keys
	}
	return append(keys, "call "+strconv.FormatUint(uint64(id.Process), 36)+" "+id.ID)
}

// Len is how many runs the correlator has.
func (s *Correlator) Len() int { return s.runs }
