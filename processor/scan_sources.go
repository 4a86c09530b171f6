package processor

import (
	"hash/maphash"
	"slices"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
)

// processes remember the processes of the resources that came last, because they come in every request and a process takes
// a cryptographic hash. They are known by a seeded hash, which is a tenth of the work.
type processes struct {
	seed maphash.Seed

	mu    sync.RWMutex // guards known
	known map[uint64]agentrun.Process
}

// maxProcesses is how many processes are remembered. One more, and all are forgotten.
const maxProcesses = 1 << 12

func newProcesses() processes {
	return processes{seed: maphash.MakeSeed(), known: make(map[uint64]agentrun.Process)}
}

// of is the process of a resource. Room is for what is read of it, and comes back for the next one.
func (p *processes) of(r pcommon.Resource, room []byte) (agentrun.Process, []byte) {
	room = agentrun.AppendResource(room[:0], r)
	key := maphash.Bytes(p.seed, room)
	p.mu.RLock()
	process, known := p.known[key]
	p.mu.RUnlock()
	if known {
		return process, room
	}
	process = agentrun.ProcessOf(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxProcesses {
		clear(p.known)
	}
	p.known[key] = process
	return process, room
}

// identify finds out which processes sent the batch, by the places of their resources.
func (p *Processor) identify(b *batch, td ptrace.Traces) {
	resources := td.ResourceSpans()
	b.processes = slices.Grow(b.processes[:0], resources.Len())[:resources.Len()]
	for i := range b.processes {
		b.processes[i], b.room = p.processes.of(resources.At(i).Resource(), b.room)
	}
}

// assignSources says of all that is known which process and which instrumentation told it. Spans of one scope stand together.
func (b *batch) assignSources(td ptrace.Traces) {
	for i := range b.recognized {
		k := &b.recognized[i]
		k.span.Process = b.processes[k.resource]
		if before := i - 1; before >= 0 && b.recognized[before].resource == k.resource && b.recognized[before].scopePlace == k.scopePlace {
			k.scope = b.recognized[before].scope
		} else {
			k.scope = agentrun.ScopeOf(td.ResourceSpans().At(k.resource).ScopeSpans().At(k.scopePlace).Scope().Name())
		}
		k.response.Process, k.response.Scope = k.span.Process, k.scope
	}
}
