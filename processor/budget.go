package processor

import "github.com/toolcorrectness/toolcorrectnessprocessor/internal/lookup"

// The parts of Limits.Bytes that tables may take. All of them together take less than a quarter; the rest is for runs.
const (
	parentsShare    = 32
	agenticShare    = 64
	callIDShare     = 64
	closedRunsShare = 16
	summaryShare    = 64
	// backlogShare is kept free of open runs, for closed runs that wait for their delivery.
	backlogShare = 8
)

// A closed run that a shard remembers takes closedBytes: [closedruns.CachedBytes] for itself, and a share of the memory that
// the shard keeps for new traces. For every sixteenth closed run, a shard keeps the memory of one trace, up to 2.9 kB.
const closedBytes = 256

// budget sizes the tables by the limit.
func (p *Processor) budget() {
	p.parents.Limit(p.set.Limits.Bytes / parentsShare)
	p.agentic.Limit(p.set.Limits.Bytes / agenticShare)
	p.callIDs = lookup.NewCallIDIndex(p.set.Limits.Bytes / callIDShare)
}

// rememberedRuns is how many closed runs each shard remembers, to know late calls.
func (p *Processor) rememberedRuns() int {
	return int(min(max(p.set.Limits.Bytes/closedRunsShare/shardCount/closedBytes, 4), 1024))
}

// openBytes is how many bytes open runs may take, with the tables.
func (p *Processor) openBytes() int64 { return p.set.Limits.Bytes - p.set.Limits.Bytes/backlogShare }

// held is how many bytes open runs, runs in the correlator and the tables keep alive.
func (p *Processor) held() int64 {
	return p.size.Load() + p.origins.Load() + p.correlatorSize.Load() + p.remembered.Load() + p.summarySize.Load() +
		p.parents.Size() + p.callIDs.Size() + p.agentic.Size() + p.mcpSpans.Size()
}

// Retained is how many bytes the processor keeps alive. A dry run uses it to close runs before there are too many.
func (p *Processor) Retained() int64 { return p.held() + p.undelivered.Load() }

// overLimit reports whether runs have to close early.
func (p *Processor) overLimit() bool {
	return p.held() > p.openBytes() || p.open.Load() > int64(p.set.Limits.OpenRuns)
}

// backlogged reports whether the limit is reached because closed runs wait for their delivery.
func (p *Processor) backlogged() bool {
	limit := p.set.Limits.Bytes
	return p.undelivered.Load() > limit/backlogShare && p.Retained() > limit
}
