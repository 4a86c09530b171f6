package dataset

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A set finds the cases that were added, and the first line of each key.
func TestSet(t *testing.T) {
	s := New()
	want := map[string]string{}
	for i := range 10_000 {
		key := strconv.Itoa(i * 7919 % 5000)
		text := fmt.Sprintf("text %d", i)
		_, there := want[key]
		first := s.Add(key, []byte(text), i+1)
		require.Equal(t, there, first > 0, "line %d", i)
		if there {
			require.Equal(t, i+1-5000, first, "the line that had the key first")
			continue
		}
		want[key] = text
	}
	require.Equal(t, len(want), s.Len())
	for key, text := range want {
		got, ok := s.Find(key)
		require.True(t, ok)
		require.Equal(t, text, string(got))
	}
	for _, key := range []string{"", "5000", "text"} {
		_, ok := s.Find(key)
		require.False(t, ok, key)
	}
	s.Add("", []byte("no key"), 1)
	got, ok := s.Find("")
	assert.True(t, ok)
	assert.Equal(t, "no key", string(got), "an empty key is one like others")
}

// A million cases take what their lines take and little more.
func TestMillionCases(t *testing.T) {
	cases := 1_000_000
	if testing.Short() {
		cases = 100_000
	}
	text := []byte(`{"key":"case-0000000","tools":["search_orders",{"name":"refund_order","arguments":{"currency":"EUR"}}]}`)
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	s := New()
	for i := range cases {
		s.Add(fmt.Sprintf("case-%07d", i), text, i)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	perCase := float64(after.HeapAlloc-before.HeapAlloc) / float64(cases)
	t.Logf("%d cases: %.0f bytes a case, %d of them its text", cases, perCase, len(text))
	assert.Less(t, perCase, float64(len(text)+100))
	assert.InDelta(t, perCase, float64(s.Bytes())/float64(cases), 10, "Bytes is what the heap has")
	runtime.KeepAlive(s)
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", MaxLine)
	for _, tc := range []struct{ name, text, want, reason string }{
		{"empty", "", "", "no line"},
		{"blank", "\n \r\n\t\n", "", "blank lines say nothing"},
		{"plain", "a\nb\n", "1 a|2 b|", "counted from 1"},
		{"half", "a\nb", "1 a|2 b half|", "the last may be half of a line"},
		{"windows", "\uFEFFa\r\n\r\nb\r\n", "1 a|3 b|", "a byte order mark and CRLF are no part of a case"},
		{"longest", long + "\na\n", "1 " + long + "|2 a|", "as long as may be"},
		{"too long", "a\n" + strings.Repeat("x", 100*MaxLine) + "\nb\n", "1 a|2 the line is longer than 1 MiB|3 b|", "the rest is read"},
		{"too long at the end", strings.Repeat("x", 3*MaxLine), "1 the line is longer than 1 MiB half|", "nothing behind it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got strings.Builder
			require.NoError(t, Lines(strings.NewReader(tc.text), func(line int, text []byte, whole bool, err error) error {
				fmt.Fprintf(&got, "%d %s", line, text)
				if err != nil {
					fmt.Fprint(&got, err)
				}
				if !whole {
					fmt.Fprint(&got, " half")
				}
				fmt.Fprint(&got, "|")
				return nil
			}))
			assert.True(t, tc.want == got.String(), "%s: %.200q", tc.reason, got.String()) //nolint:testifylint // a difference of megabytes is not for people
		})
	}
	broken := errors.New("broken")
	none := func(int, []byte, bool, error) error { return nil }
	require.ErrorIs(t, Lines(iotest.ErrReader(broken), none), broken)
	require.ErrorIs(t, Lines(strings.NewReader("a\nb"), func(int, []byte, bool, error) error { return io.ErrClosedPipe }), io.ErrClosedPipe)
}

// The benchmark looks up a case among a million.
func BenchmarkFind(b *testing.B) {
	s := New()
	keys := make([]string, 1_000_000)
	for i := range keys {
		keys[i] = fmt.Sprintf("case-%07d", i)
		s.Add(keys[i], []byte("text"), i)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if _, ok := s.Find(keys[i]); !ok {
			b.Fatal("not found")
		}
		i = (i + 7919) % len(keys)
	}
}
