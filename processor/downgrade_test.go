package processor

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal"
)

// A build that finds records of a later one leaves them as they are, counts them, and continues with new runs. When the later
// build runs again, the runs that it had stored resume.
func TestADowngradeKeepsTheRecordsOfTheLaterBuild(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func([]byte) []byte // what the later build writes otherwise
		reason string
	}{
		{"another version", func(b []byte) []byte {
			b = slices.Clone(b)
			b[0]++
			return b
		}, "the version is the first byte, so a build need not know what follows it"},
		{"a kind that is not known", func(b []byte) []byte {
			e, err := journal.DecodeRecord(b)
			require.NoError(t, err)
			return journal.EncodeRecord(e.Kind+100, e.At, e.Body)
		}, "kinds are added without a new version; the checksum says that the record is whole"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := pinned(t, "current")
			var out map[string][]map[string]any
			synctest.Test(t, func(t *testing.T) {
				later := maps.Clone(p.Records)
				for key, record := range later {
					if key != journal.SlotsKey {
						later[key] = tc.change(record)
					}
				}
				left := earlierBuildRuns(t, later)
				for key, record := range later {
					if key != journal.SlotsKey {
						assert.Equal(t, record, left[key], "%s: %s", key, tc.reason)
						left[key] = p.Records[key] // which is how the later build reads it
					}
				}
				out = resumed(t, left)
			})
			assert.Equal(t, asJSON(t, p.Verdicts), asJSON(t, out))
		})
	}
}

// earlierBuildRuns starts a processor on records that it cannot read, judges a run, and returns the storage after its end.
func earlierBuildRuns(t *testing.T, records map[string][]byte) map[string][]byte {
	v := newMemoryStorage()
	v.entries = maps.Clone(records)
	s := newCrashPlay(t, pinnedSettings, v)
	assert.Equal(t, len(records)-1, s.total("records_set_aside"), "every record but the number of slots")
	assert.Zero(t, s.total("spans_resumed"))
	require.NoError(t, s.ConsumeTraces(t.Context(), traces(agent("new", "", 1, 9).in(90), tool("call", "new", 2, 3, "search").in(90))))
	s.elapse(t.Context(), time.Minute)
	require.NoError(t, s.Shutdown(t.Context()))
	require.NoError(t, s.telemetry.Shutdown(t.Context()))
	assert.Contains(t, s.out, spanID("new"), "a run of its own is judged")
	for key := range v.entries {
		assert.False(t, strings.HasPrefix(key, "corrupt-"), key)
	}
	return v.entries
}
