package lookup

import (
	"hash/maphash"
	"sync"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/processid"
)

// Processes remembers the processes of the latest resources. Resources repeat in every request, and computing a process
// takes a cryptographic hash. The table finds them by a seeded hash, which is a tenth of the work.
type Processes struct {
	seed maphash.Seed

	mu    sync.RWMutex // guards known
	known map[uint64]agentrun.Process
}

// maxProcesses is how many processes are remembered. One more, and all are forgotten.
const maxProcesses = 1 << 12

// NewProcesses returns an empty table.
func NewProcesses() *Processes {
	return &Processes{seed: maphash.MakeSeed(), known: make(map[uint64]agentrun.Process)}
}

// Of returns the process of a resource. room is memory for the bytes that are read, and is returned for the next call.
func (p *Processes) Of(r pcommon.Resource, room []byte) (agentrun.Process, []byte) {
	room = processid.Append(room[:0], r)
	key := maphash.Bytes(p.seed, room)
	p.mu.RLock()
	process, known := p.known[key]
	p.mu.RUnlock()
	if known {
		return process, room
	}
	process = processid.Of(r)
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxProcesses {
		clear(p.known)
	}
	p.known[key] = process
	return process, room
}
