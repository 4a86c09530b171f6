package bounded_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/bounded"
)

// own is how many bytes an entry takes besides its key and value.
var own = func() int {
	table := bounded.New[int, int](1, 1000)
	table.Put(1, 1, 0, 1)
	return table.Bytes()
}()

// What is over a bound goes, the oldest first, and the table says until when it has lost something.
func TestTheOldestAreForgottenFirst(t *testing.T) {
	for _, tc := range []struct {
		name        string
		most, bytes int
		sizes       []int // of the entries 1, 2, ..., put at that time
		left        []int
		lost        int64
	}{
		{"room for all", 3, 30 + 3*own, []int{10, 10, 10}, []int{1, 2, 3}, 0},
		{"too many entries", 2, 1000, []int{10, 10, 10, 10}, []int{3, 4}, 2},
		{"too many bytes", 10, 34 + 2*own, []int{10, 10, 10, 15}, []int{3, 4}, 2},
		{"an entry over the bound", 10, 30 + own, []int{10, 31}, []int{1}, 2},
		{"no room at all", 0, 0, []int{1}, nil, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			table := bounded.New[int, string](tc.most, tc.bytes)
			for i, size := range tc.sizes {
				table.Put(i+1, "value", size, int64(i+1))
				require.LessOrEqual(t, table.Len(), tc.most)
				require.LessOrEqual(t, table.Bytes(), tc.bytes)
			}
			var left []int
			for i := range tc.sizes {
				if _, ok := table.Get(i + 1); ok {
					left = append(left, i+1)
				}
			}
			require.Equal(t, tc.left, left)
			require.Len(t, tc.left, table.Len())
			require.Equal(t, tc.lost, table.Lost())
		})
	}
}

func TestRemovedAndReplacedEntriesAreNotLost(t *testing.T) {
	table := bounded.New[string, int](2, 100+2*own)
	table.Put("a", 1, 60, 1)
	table.Put("a", 2, 50, 2)
	table.Put("b", 3, 50, 3)
	v, ok := table.Get("a")
	require.True(t, ok)
	require.Equal(t, 2, v, "the newest value of a key")
	require.Equal(t, 100+2*own, table.Bytes())
	table.Remove("a")
	table.Remove("none")
	_, ok = table.Get("a")
	require.False(t, ok)
	require.Equal(t, 1, table.Len())
	require.Equal(t, 50+own, table.Bytes())
	require.Zero(t, table.Lost(), "nothing was forgotten for want of room")
}

// A table that is used for long does not grow by keys that come and go.
func TestATableThatIsUsedForLong(t *testing.T) {
	table := bounded.New[int, int](10, 1000)
	for i := range 10_000 {
		table.Put(i, i, 1, int64(i))
		if i%2 == 0 {
			table.Remove(i)
		}
		if i%3 == 0 {
			table.Put(7, i, 1, int64(i))
		}
		require.LessOrEqual(t, table.Len(), 10)
	}
	require.Equal(t, table.Len()*(1+own), table.Bytes())
}
