package main

import (
	"bytes"
	"compress/gzip"
	"slices"
)

// raids are the attacks that need a receiver, an exporter, a storage or a reload.
func raids() []raid { return slices.Concat(raidsOnRequests(), raidsOnServices()) }

// raidsOnRequests are large when the receiver decodes them, or when the exporter sends what became of them.
func raidsOnRequests() []raid {
	return []raid{{
		name: "collector-alone", does: "nothing: the victim alone, for comparison", plan: func(*plan) {},
	}, {
		name: "collector-resource", does: "150,000 resource attributes and 8,000 scopes with an agent each, compressed, behind a memory_limiter",
		short: true, limiter: true, gzip: true,
		plan: func(p *plan) {
			b := evil()
			fill(b.resource, 150_000)
			for range 8_000 {
				scope := b.td.ResourceSpans().At(0).ScopeSpans().AppendEmpty()
				spanIn(scope.Spans(), p.traceID(), p.spanID(), noParent).agent("")
			}
			p.send(b.td)
		},
	}, {
		name: "collector-releases", does: "names that make releases too large for the receiver behind a real exporter with its queue",
		short: true,
		plan: func(p *plan) {
			for range 2 {
				b := evil()
				for range 70 {
					t, a := p.traceID(), p.spanID()
					for range 128 {
						b.span(t, p.spanID(), a).tool(text(256))
					}
					b.span(t, a, noParent).agent("support")
				}
				p.send(b.td)
			}
			b := evil()
			t, a := p.traceID(), p.spanID()
			b.span(t, p.spanID(), a).tool("x")
			b.span(t, a, noParent).agent(text(2_200_000))
			p.send(b.td)
		},
	}, {
		name: "collector-gzip", does: "ten requests of 1 MB that are a hundredth of that compressed, and 1 GB of zeros in 1 MB, which the receiver has to refuse",
		gzip: true, bomb: bomb(1 << 30),
		plan: func(p *plan) {
			for range 9 {
				b := evil()
				t := p.traceID()
				for range 9_000 {
					b.span(t, p.spanID(), noParent).agent("")
				}
				p.send(b.td)
			}
		},
	}}
}

// raidsOnServices are played while the configuration is read again, or with a storage.
func raidsOnServices() []raid {
	return []raid{{
		name: "collector-reload", does: "all kinds of spans with repeated IDs, while the configuration is read again four times",
		reloads: 4, plan: mix,
	}, {
		name: "collector-storage", does: "9,990 calls of unknown origin and agents of their trace ten times a second, stored: what is written is a multiple of what is sent",
		storage: true,
		plan: func(p *plan) {
			id := p.traceID()
			b := evil()
			for range 9_990 {
				b.span(id, p.spanID(), p.spanID()).tool("x")
			}
			p.send(b.td)
			agentsFor(p, []traceID{id}, 30, 100_000_000)
		},
	}}
}

// bomb returns size zeros, compressed.
func bomb(size int) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed) // the level is one of its constants
	zeros := make([]byte, 1<<20)
	for range size >> 20 {
		_, _ = w.Write(zeros) // into memory
	}
	_ = w.Close()
	return b.Bytes()
}
