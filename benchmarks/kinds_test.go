package benchmarks

import "go.opentelemetry.io/collector/pdata/ptrace"

// inTurn sends one trace after the other.
func inTurn(next func(*maker) trace) func(*maker, int) {
	return func(m *maker, spans int) {
		for m.load.Spans < spans {
			t := next(m)
			m.put(t, 0, t.spans.Len())
			m.flushFull()
		}
	}
}

// sideBySide sends several traces in pieces: the first piece of each, then the second. No request has two pieces of a trace. If
// they are alone, each piece has a request of its own.
func sideBySide(next func(*maker) trace, atATime, pieces int, alone bool) func(*maker, int) {
	return func(m *maker, spans int) {
		for m.load.Spans < spans {
			var group []trace
			for len(group) < atATime && m.load.Spans < spans {
				group = append(group, next(m))
			}
			for piece := range pieces {
				for _, t := range group {
					n := t.spans.Len()
					m.put(t, piece*n/pieces, (piece+1)*n/pieces)
					if alone {
						m.flush()
					} else {
						m.flushFull()
					}
				}
				m.flush()
			}
		}
	}
}

// mixedTrace makes every twentieth trace that of an agent, beginning with the first.
func (m *maker) mixedTrace() trace {
	if m.load.Traces%20 == 0 {
		return m.deskTrace()
	}
	return m.ordinaryTrace()
}

// ordinaryTrace is a request's way through a shop: 20 spans of HTTP servers and clients.
func (m *maker) ordinaryTrace() trace {
	t := m.newTrace("shop")
	root := m.newSpanID()
	ids := []uint64{root}
	for range 19 {
		id := m.newSpanID()
		m.httpSpan(m.child(t, id, ids[m.rng.IntN(len(ids))]))
		ids = append(ids, id)
	}
	s := m.child(t, root, 0)
	m.httpSpan(s)
	s.SetKind(ptrace.SpanKindServer)
	return t
}

func (m *maker) httpSpan(s ptrace.Span) {
	s.SetName("GET /orders/{id}")
	s.SetKind(ptrace.SpanKindClient)
	a := s.Attributes()
	a.PutStr("http.request.method", "GET")
	a.PutStr("url.full", "https://orders.shop.example/orders/"+m.hex())
	a.PutStr("http.route", "/orders/{id}")
	a.PutInt("http.response.status_code", 200)
	a.PutStr("server.address", "orders.shop.example")
	a.PutInt("server.port", 443)
	a.PutStr("network.protocol.version", "1.1")
	a.PutStr("user_agent.original", "checkout/4.2 (go1.25)")
	a.PutInt("thread.id", int64(m.rng.IntN(64)))
	a.PutStr("enduser.id", m.hex())
}
