package tracebuffer

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// reminder is a memory written without any care for cost. No two of its runs closed at the same time.
type reminder struct {
	most int
	runs []reminded
}

type reminded struct {
	closedRun
	gone bool
}

func (m *reminder) remember(id pcommon.TraceID, p closedRuns) {
	m.forget(id)
	for _, r := range p {
		r.number = 0
		if i := slices.IndexFunc(m.runs, func(k reminded) bool { return k.at == r.at }); i >= 0 {
			m.runs[i].gone = false
		} else {
			m.runs = append(m.runs, reminded{closedRun: r})
			m.runs = m.runs[max(0, len(m.runs)-m.most):]
		}
	}
}

func (m *reminder) forget(id pcommon.TraceID) {
	for i := range m.runs {
		m.runs[i].gone = m.runs[i].gone || m.runs[i].Trace == id
	}
}

func (m *reminder) of(id pcommon.TraceID) (p closedRuns) {
	for _, r := range m.runs {
		if r.Trace == id && !r.gone {
			p = append(p, r.closedRun)
		}
	}
	return p
}

// numberless are runs without what tells their places.
func numberless(p closedRuns) closedRuns {
	p = append(closedRuns{}, p...)
	for i := range p {
		p[i].number = 0
	}
	return p
}

// ageBy has numbers go on as if so many runs more had been remembered, and forgotten for those that are there.
func (m *decisionCache) ageBy(runs uint64) {
	m.count += runs
	for i := range m.newest {
		m.newest[i] += uint32(runs)
	}
	for i := range m.ring {
		m.ring[i].before += uint32(runs)
	}
}

// The ring remembers what a list does, whatever its size, and when the low halves of its numbers begin again from zero.
func TestMemory(t *testing.T) {
	for _, most := range []int{0, 1, 2, 7, 8, 9, 64, 100} {
		random := rand.New(rand.NewPCG(1, uint64(most)))
		m, want := newDecisionCache(most), reminder{most: most}
		for n := range 3000 {
			if n == 2000 && most > 0 {
				require.Len(t, m.ring, most)
				m.ageBy((1<<32 - m.count - 100) / uint64(most) * uint64(most))
			}
			id := traceNumber(1 + random.IntN(2*most+2))
			require.Equal(t, numberless(want.of(id)), numberless(m.of(id)))
			if random.IntN(4) == 0 {
				m.forget(id)
				want.forget(id)
				continue
			}
			p := append(slices.Clone(m.of(id)), closedRun{
				Span: agentrun.Span{Trace: id, ID: spanNumber(n), Parent: spanNumber(n / 2), Start: 1, End: pcommon.Timestamp(n)},
				kind: agentrun.AnchorKind(n % 3), reason: agentrun.CloseReason(n % 4), at: int64(n),
			})
			p = p[max(0, len(p)-3):]
			m.remember(id, p)
			want.remember(id, p)
		}
		require.LessOrEqual(t, m.bytes(), 2*(most+8)*(cachedRunBytes+4)+4*most*closedRunBytes)
		require.True(t, most < 2 || m.count > 1<<32 && uint32(m.count) < 10_000)
	}
}

// A trace that opens and closes over and over takes one place for each of its runs, and not those of others.
func TestMemoryOfATraceThatComesBack(t *testing.T) {
	m := newDecisionCache(64)
	other := traceNumber(1)
	m.remember(other, closedRuns{{Span: agentrun.Span{Trace: other, ID: spanNumber(1)}}})
	for n := range 63 {
		id := traceNumber(2)
		p := append(closedRuns{}, m.of(id)...)
		m.forget(id)
		m.remember(id, append(p, closedRun{Span: agentrun.Span{Trace: id, ID: spanNumber(n)}}))
		require.Len(t, m.of(id), n+1)
		require.Len(t, m.of(other), 1)
	}
}

// Neither does a trace whose closings come out of a storage, each with all runs so far.
func TestMemoryOfAStoredTrace(t *testing.T) {
	b := newFixture(t, func(s *Settings) { s.MaxClosed = 64 })
	other, id := traceNumber(1), traceNumber(2)
	b.decisions.remember(other, closedRuns{{Span: agentrun.Span{Trace: other, ID: spanNumber(1)}}})
	e := NewEvidence(&b.set, id)
	for n := range 20 {
		e.closedRun(closedRun{Span: agentrun.Span{Trace: id, ID: spanNumber(n)}})
		require.NoError(t, b.RestoreClosed(e.Bytes()))
	}
	require.Len(t, b.decisions.of(id), 20)
	require.Len(t, b.decisions.of(other), 1)
}

// What is told at the time of what came last leaves its trace as old as it was.
func TestWhatIsToldLaterDoesNotMakeATraceYounger(t *testing.T) {
	b := newFixture(t, nil)
	old, young := b.now, b.now.Add(time.Second)
	x, y := agentrun.Span{Trace: traceNumber(1), ID: spanNumber(1)}, agentrun.Span{Trace: traceNumber(2), ID: spanNumber(2)}
	b.AddAgentSpan(old, x, agentrun.Agent)
	b.AddAgentSpan(young, y, agentrun.Agent)
	b.Hold(old, agentrun.Anchor{Span: x})
	seen, _ := b.LastSeen()
	require.Equal(t, old, seen)
}

// What is forgotten of an open trace is not remembered again when that closes.
func TestAReopenedRunStaysForgotten(t *testing.T) {
	b := newFixture(t, nil)
	run := at("a 1-9")
	e := NewEvidence(&b.set, run.Trace)
	e.closedRun(closedRun{Span: run, kind: agentrun.Agent})
	require.NoError(t, b.RestoreClosed(e.Bytes()))
	_, closed := b.Closed(agentrun.Anchor{Span: run, Kind: agentrun.Agent})
	require.True(t, closed)
	require.True(t, b.call("x", "1<q 20-21")) // opens the trace again
	b.Reopen(agentrun.Anchor{Span: run, Kind: agentrun.Agent})
	b.want(b.wait(2*time.Minute), "-: x (idle!)")
	_, closed = b.Closed(agentrun.Anchor{Span: run, Kind: agentrun.Agent})
	require.False(t, closed)
}
