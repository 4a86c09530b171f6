// Package mcptable keeps the MCP spans of calls, for goroutines that share them.
//
// A call over the Model Context Protocol (MCP) has a span of the protocol, often in another trace than its run. Package mcpspans
// remembers such spans in bounded memory, and completes the calls of closed runs: [mcpspans.Table]. A [Table] adds the lock:
//
//	scan     Add, for each MCP span of a batch
//	recover  Restore, for each that is stored
//	close    FillIn, for the runs that closed
//
// Most senders have no MCP spans. Then FillIn takes no lock.
package mcptable

import (
	"sync"
	"sync/atomic"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun"
	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/agentrun/mcpspans"
)

// A Table has the MCP spans of calls. Goroutines may share it.
type Table struct {
	any  atomic.Bool // there are, or were, any
	mu   sync.Mutex
	seen *mcpspans.Table // guarded by mu
	size atomic.Int64    // of seen, in bytes
}

// New returns an empty Table. set says what is kept of a call.
func New(set agentrun.Settings) *Table { return &Table{seen: mcpspans.New(set)} }

// Size is how many bytes the table keeps alive.
func (e *Table) Size() int64 { return e.size.Load() }

// Add adds the call of an MCP span that a process sent, and that arrived now. It returns false if the span is known already.
func (e *Table) Add(now pcommon.Timestamp, from agentrun.Process, c agentrun.Call) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.any.Store(true)
	defer func() { e.size.Store(int64(e.seen.Size())) }()
	return e.seen.Add(now, from, c)
}

// Restore adds an MCP span from the evidence that was stored of it. If the bytes are no evidence, it returns an error.
func (e *Table) Restore(now pcommon.Timestamp, evidence []byte) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.any.Store(true)
	defer func() { e.size.Store(int64(e.seen.Size())) }()
	return e.seen.Restore(now, evidence)
}

// FillIn completes the calls of runs.
func (e *Table) FillIn(runs []agentrun.Run) {
	if !e.any.Load() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen.FillIn(runs)
}
