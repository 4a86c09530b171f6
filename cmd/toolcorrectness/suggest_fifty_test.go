package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/corpus"
)

// recordingsOf writes recordings of a scenario to a folder, a file each. The corpus has one of each library. The others are
// the same recordings again, in other traces and at another time.
func recordingsOf(t *testing.T, name string, count int) (folder string, real int) {
	t.Helper()
	folder = t.TempDir()
	var recordings [][]ptrace.Traces
	for _, l := range corpus.All(t) {
		for _, s := range l.Scenarios {
			if s.Name == name {
				recordings = append(recordings, s.Requests)
			}
		}
	}
	require.NotEmpty(t, recordings)
	for i := range count {
		var text bytes.Buffer
		for _, request := range recordings[i%len(recordings)] {
			line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(again(request, i/len(recordings)))
			require.NoError(t, err)
			text.Write(append(line, '\n'))
		}
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprintf("%02d.jsonl", i)), text.Bytes(), 0o600))
	}
	return folder, len(recordings)
}

// again is a copy of a request, times hours later and with other ids.
func again(request ptrace.Traces, times int) ptrace.Traces {
	td := ptrace.NewTraces()
	request.CopyTo(td)
	if times == 0 {
		return td
	}
	later := func(at pcommon.Timestamp) pcommon.Timestamp {
		return pcommon.NewTimestampFromTime(at.AsTime().Add(time.Duration(times) * time.Hour))
	}
	mark := func(id pcommon.SpanID) pcommon.SpanID {
		if !id.IsEmpty() {
			binary.BigEndian.PutUint16(id[:], binary.BigEndian.Uint16(id[:])+uint16(times))
		}
		return id
	}
	for _, rs := range td.ResourceSpans().All() {
		for _, ss := range rs.ScopeSpans().All() {
			for _, span := range ss.Spans().All() {
				trace := span.TraceID()
				trace[0] += byte(times)
				span.SetTraceID(trace)
				span.SetSpanID(mark(span.SpanID()))
				span.SetParentSpanID(mark(span.ParentSpanID()))
				span.SetStartTimestamp(later(span.StartTimestamp()))
				span.SetEndTimestamp(later(span.EndTimestamp()))
			}
		}
	}
	return td
}

// A draft from 50 recordings of a scenario passes all of them, and recordings of another scenario fail under it.
func TestSuggestFromFiftyRecordings(t *testing.T) {
	for given, other := range map[string]string{"typed_args": "two_sequential", "two_sequential": "typed_args"} {
		if testing.Short() && given == "typed_args" {
			continue
		}
		t.Run(given, func(t *testing.T) {
			const count = 50
			good, recorded := recordingsOf(t, given, count)
			t.Logf("%d recordings, and %d of them again", recorded, count-recorded)
			draft := filepath.Join(t.TempDir(), "draft.yaml")
			got := command("", "suggest", "-o", draft, good)
			require.Equal(t, exitPassed, got.code, got.stderr)
			verdicts := func(folder string) (judged, passed int) {
				r := command("", "-config", draft, "-format", "json", "-pass-rate", "0", folder)
				require.NotEqual(t, exitUsage, r.code, r.stderr)
				for _, row := range rowsIn(t, r.stdout) {
					if row["status"] == "no_expectation" {
						continue
					}
					judged++
					if row["passed"] == true {
						passed++
					}
				}
				return judged, passed
			}
			judged, passed := verdicts(good)
			assert.GreaterOrEqual(t, judged, 20)
			assert.Equal(t, judged, passed, "under\n%s", readFile(t, draft))
			others, _ := recordingsOf(t, other, recorded)
			judged, passed = verdicts(others)
			assert.GreaterOrEqual(t, judged, 20)
			assert.Zero(t, passed, "of %d under\n%s", judged, readFile(t, draft))
		})
	}
}
