package tracefile

import (
	"cmp"
	"encoding/hex"
	"errors"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

// Kinds and codes by the names that other formats have.
var (
	spanKinds = map[string]ptrace.SpanKind{
		"internal": ptrace.SpanKindInternal, "server": ptrace.SpanKindServer, "client": ptrace.SpanKindClient,
		"producer": ptrace.SpanKindProducer, "consumer": ptrace.SpanKindConsumer,
	}
	codes = map[string]ptrace.StatusCode{"OK": ptrace.StatusCodeOk, "ERROR": ptrace.StatusCodeError}
)

// identify gives a span its ids, which are read as those of [ids].
func identify(span ptrace.Span, trace, own, parent string) error {
	of, id, err := ids(trace, own)
	_, above, wrong := ids("", parent)
	span.SetTraceID(of)
	span.SetSpanID(id)
	span.SetParentSpanID(above)
	return cmp.Or(err, wrong)
}

// link adds a link.
func link(span ptrace.Span, trace pcommon.TraceID, id pcommon.SpanID) {
	l := span.Links().AppendEmpty()
	l.SetTraceID(trace)
	l.SetSpanID(id)
}

// ids are the ids of a trace and of a span in hexadecimal, whose leading zeros may be missing.
func ids(trace, span string) (t pcommon.TraceID, s pcommon.SpanID, err error) {
	err = cmp.Or(readID(trace, t[:]), readID(span, s[:]))
	return t, s, err
}

func readID(text string, id []byte) error {
	if len(text) > 2*len(id) {
		return errors.New("an id is too long")
	}
	if _, err := hex.Decode(id, []byte(strings.Repeat("0", 2*len(id)-len(text))+text)); err != nil {
		return errors.New("an id is not hexadecimal")
	}
	return nil
}
