package attributes

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/pcommon"
)

// A Writer appends attributes behind the existing ones, as Put would.
func TestWriterAddsBehindWhatIsThere(t *testing.T) {
	want, got := pcommon.NewMap(), pcommon.NewMap()
	for _, m := range [...]pcommon.Map{want, got} {
		m.PutStr("a", "1")
		m.PutEmptyMap("b").PutInt("c", 2)
	}
	want.PutStr("s", "text")
	want.PutBool("t", true)
	want.PutDouble("d", 0.5)
	want.PutEmptySlice("l").AppendEmpty().SetStr("e")

	var w Writer
	w.Take(got, 4)
	w.PutStr("s", "text")
	w.PutBool("t", true)
	w.PutDouble("d", 0.5)
	w.PutEmptySlice("l").AppendEmpty().SetStr("e")
	w.GiveTo(got)
	require.Equal(t, want.AsRaw(), got.AsRaw())
	var keys []string
	for key := range got.All() {
		keys = append(keys, key)
	}
	require.Equal(t, []string{"a", "b", "s", "t", "d", "l"}, keys)
	got.PutStr("s", "again") // the map is as any other
	require.Equal(t, 6, got.Len())
}
