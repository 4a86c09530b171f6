package journal

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/extension/xextension/storage"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/journal/journaltest"
)

var at = time.Unix(1700000000, 123)

// empty is a journal in an empty storage.
func empty() (*journaltest.Storage, *Journal) {
	c := journaltest.New()
	return c, New(c)
}

// holds checks what a start after a crash finds.
func holds(t *testing.T, c *journaltest.Storage, want map[Slot]string) {
	t.Helper()
	_, found := load(t, c)
	require.Equal(t, want, found)
}

// write adds records, and returns their slots.
func write(t *testing.T, j *Journal, remove []Slot, bodies ...string) []Slot {
	t.Helper()
	slots, err := j.Write(t.Context(), at, bytesOf(bodies), remove)
	require.NoError(t, err)
	require.Len(t, slots, len(bodies))
	return slots
}

func bytesOf(bodies []string) (all [][]byte) {
	for _, body := range bodies {
		all = append(all, []byte(body))
	}
	return all
}

// load starts a journal after a crash, and returns what it finds, by slot.
func load(t *testing.T, c *journaltest.Storage) (*Journal, map[Slot]string) {
	t.Helper()
	j := New(c)
	all, err := j.Load(t.Context(), func(slot Slot, why error) { require.NoError(t, why, "slot %d", slot) })
	require.NoError(t, err)
	found := make(map[Slot]string)
	for _, r := range all {
		require.True(t, r.At.Equal(at))
		found[r.Slot] = string(r.Body)
	}
	require.Len(t, found, len(all))
	return j, found
}

func TestWhatIsWrittenIsLoaded(t *testing.T) {
	c := journaltest.New()
	j, found := load(t, c)
	require.Empty(t, found)
	slots := write(t, j, nil, "a", "", "c")
	require.NotContains(t, slots, Slot(0))
	more := write(t, j, nil, "d")
	c.Entries[KeyOfSlot(0)] = []byte("no record is there")
	holds(t, c, map[Slot]string{slots[0]: "a", slots[1]: "", slots[2]: "c", more[0]: "d"})
}

func TestARecordIsReplacedInOneStep(t *testing.T) {
	c, j := empty()
	before := write(t, j, nil, "a", "b")
	steps := 0
	c.Ask(func(context.Context, []*storage.Operation) (bool, error) { steps++; return true, nil })
	after := write(t, j, before[:1], "a and more")
	require.Equal(t, 1, steps)
	holds(t, c, map[Slot]string{before[1]: "b", after[0]: "a and more"})
}

func TestRemovalsWaitForTheNextStep(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, "a", "b", "c")
	j.Remove(slots[0])
	require.Contains(t, c.Keys(), KeyOfSlot(slots[0]))
	write(t, j, nil, "d")
	require.NotContains(t, c.Keys(), KeyOfSlot(slots[0]))
	j.Remove(slots[1:]...)
	require.NoError(t, j.Commit(t.Context()))
	_, found := load(t, c)
	require.Len(t, found, 1)
	require.NoError(t, j.Commit(t.Context()), "nothing is pending")
}

func TestASenderWaitsForFewRemovals(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, make([]string, 3*removalsAtOnce)...)
	j.Remove(slots...)
	write(t, j, nil, "d")
	_, found := load(t, c)
	require.Len(t, found, 2*removalsAtOnce+1)
	require.NoError(t, j.Commit(t.Context()))
	_, found = load(t, c)
	require.Len(t, found, 1)
}

// A removal that several goroutines ask for hits no later record.
func TestARemovalMayBeAskedForTwice(t *testing.T) {
	c, j := empty()
	a := write(t, j, nil, "a")
	j.Remove(a[0], a[0])
	write(t, j, a)
	b, d := write(t, j, nil, "b"), write(t, j, a, "d")
	require.NoError(t, j.Commit(t.Context()))
	holds(t, c, map[Slot]string{b[0]: "b", d[0]: "d"})
}

// A write that fails keeps the record that it would replace, unless somebody asked for its removal meanwhile.
func TestARecordStaysIfItsReplacementFails(t *testing.T) {
	for _, removed := range []bool{false, true} {
		t.Run(strconv.FormatBool(removed), func(t *testing.T) {
			c, j := empty()
			a := write(t, j, nil, "a")
			c.Ask(func(context.Context, []*storage.Operation) (bool, error) {
				c.Ask(journaltest.RemovalsOnly)
				if removed {
					j.Remove(a...)
				}
				return false, journaltest.ErrFull
			})
			_, err := j.Write(t.Context(), at, bytesOf([]string{"b"}), a)
			require.ErrorIs(t, err, ErrStorage)
			require.ErrorIs(t, err, journaltest.ErrFull)
			c.Ask(nil)
			require.NoError(t, j.Commit(t.Context()))
			_, found := load(t, c)
			if removed {
				require.Empty(t, found)
				return
			}
			require.Equal(t, map[Slot]string{a[0]: "a"}, found)
			b := write(t, j, a, "b")
			holds(t, c, map[Slot]string{b[0]: "b"})
		})
	}
}

// While a write replaces a record, somebody asks for its removal, and another write replaces it too. Its slot is free once.
func TestARecordIsReplacedOnce(t *testing.T) {
	c, j := empty()
	a := write(t, j, nil, "a")
	c.Ask(func(context.Context, []*storage.Operation) (bool, error) {
		c.Ask(nil)
		write(t, j, a, "c")
		j.Remove(a...)
		return true, nil
	})
	write(t, j, a, "b")
	write(t, j, nil, "d")
	write(t, j, nil, "e")
	require.NoError(t, j.Commit(t.Context()))
	_, found := load(t, c)
	require.ElementsMatch(t, []string{"b", "c", "d", "e"}, slices.Collect(maps.Values(found)))
}

// A storage may have done what it said has failed. Nobody waits for these records, so they go.
func TestTheRecordsOfAFailedWriteGo(t *testing.T) {
	c, j := empty()
	write(t, j, nil, "a")
	c.Ask(func(context.Context, []*storage.Operation) (bool, error) { return true, journaltest.ErrFull })
	_, err := j.Write(t.Context(), at, bytesOf([]string{"b", "c"}), nil)
	require.ErrorIs(t, err, ErrStorage)
	c.Ask(nil)
	write(t, j, nil, "d")
	_, found := load(t, c)
	require.ElementsMatch(t, []string{"a", "d"}, slices.Collect(maps.Values(found)))
}

func TestAFullStorageGetsRoom(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, "a", "b")
	j.Remove(slots[0])
	c.Ask(journaltest.RemovalsOnly)
	_, err := j.Write(t.Context(), at, bytesOf([]string{"c"}), nil)
	require.ErrorIs(t, err, ErrStorage)
	require.Equal(t, []string{KeyOfSlot(slots[1]), SlotsKeys[0], SlotsKeys[1]}, c.Keys())

	// A sender that gave up is no reason to remove anything.
	j.Remove(slots[1])
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	before := c.Asked
	_, err = j.Write(gone, at, bytesOf([]string{"c"}), nil)
	require.ErrorIs(t, err, ErrStorage)
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, before+1, c.Asked)
	require.Equal(t, []string{KeyOfSlot(slots[1]), SlotsKeys[0], SlotsKeys[1]}, c.Keys())
}

// A storage that refuses everything for long leaves no more to remove than was reserved.
func TestFailuresLeaveLittleToRemove(t *testing.T) {
	c, j := empty()
	write(t, j, nil, "a")
	c.Ask(journaltest.NoWrites)
	for range 3 * slotsReserved / 64 {
		_, err := j.Write(t.Context(), at, bytesOf(make([]string, 64)), nil)
		require.ErrorIs(t, err, ErrStorage)
	}
	require.LessOrEqual(t, len(j.pending), slotsReserved)
	c.Ask(nil)
	require.NoError(t, j.Commit(t.Context()))
	write(t, j, nil, "b")
	j, found := load(t, c)
	require.Len(t, found, 2)
	for slot := range found {
		j.Remove(slot)
	}
	require.NoError(t, j.Commit(t.Context()))
	require.Empty(t, j.live)
}

// A start looks no further back than the oldest record was when slots were reserved last, and no further than the reserved ones.
func TestAStartLooksWhereRecordsAre(t *testing.T) {
	c, j := empty()
	oldest := write(t, j, nil, "oldest")
	for range 5 {
		j.Remove(write(t, j, nil, make([]string, slotsReserved)...)...)
		require.NoError(t, j.Commit(t.Context()))
	}
	looked := func() (from, to Slot) {
		c.Ask(func(_ context.Context, operations []*storage.Operation) (bool, error) {
			if n := len(operations); n == slotsAtOnce {
				if from == 0 {
					from = slotOf(t, operations[0].Key)
				}
				to = slotOf(t, operations[n-1].Key)
			}
			return true, nil
		})
		load(t, c)
		c.Ask(nil)
		return from, to
	}
	from, to := looked()
	require.Equal(t, oldest[0], from)
	require.Less(t, to, Slot(7*slotsReserved))
	newest := write(t, j, oldest, "newest")
	write(t, j, nil, make([]string, slotsReserved)...) // reserves
	from, _ = looked()
	require.Equal(t, newest[0], from)
}

func slotOf(t *testing.T, key string) Slot {
	slot, err := strconv.ParseUint(key, 36, 64)
	require.NoError(t, err)
	return slot
}

func TestRecordsAreFoundWithoutBounds(t *testing.T) {
	for name, change := range map[string]func(entries map[string][]byte){
		"one is damaged":   func(entries map[string][]byte) { entries[SlotsKeys[0]][3] ^= 1 },
		"one is missing":   func(entries map[string][]byte) { delete(entries, SlotsKeys[1]) },
		"both are missing": func(entries map[string][]byte) { delete(entries, SlotsKeys[0]); delete(entries, SlotsKeys[1]) },
	} {
		t.Run(name, func(t *testing.T) {
			c, j := empty()
			slots := write(t, j, nil, make([]string, 2*slotsReserved)...)
			write(t, j, slots[1:], "last")
			change(c.Entries)
			j, found := load(t, c)
			require.Len(t, found, 2)
			write(t, j, nil, "more")
			_, found = load(t, c)
			require.Len(t, found, 3)
		})
	}
}

// Who lost the bounds may not find all records, and must say so.
func TestDamagedBoundsAreSaid(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, "a")
	for _, key := range SlotsKeys {
		c.Entries[key][3] ^= 1
	}
	j = New(c)
	var damaged []Slot
	all, err := j.Load(t.Context(), func(slot Slot, why error) {
		require.ErrorIs(t, why, ErrCorrupt)
		require.NoError(t, j.Quarantine(t.Context(), slot))
		damaged = append(damaged, slot)
	})
	require.NoError(t, err)
	require.Equal(t, []Slot{0}, damaged)
	require.Equal(t, []Record{{Slot: slots[0], At: at, Body: []byte("a")}}, all)
}

// A record of another version stays for that version, and is found by it, however many records come behind it. It costs nothing meanwhile.
func TestARecordOfAnotherVersionStays(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, "before", "other")
	j.Remove(slots[0])
	require.NoError(t, j.Commit(t.Context()))
	entry := c.Entries[KeyOfSlot(slots[1])]
	loadOther := func() *Journal {
		j, other := New(c), Slot(0)
		_, err := j.Load(t.Context(), func(slot Slot, why error) {
			require.ErrorIs(t, why, ErrVersion)
			other = slot
		})
		require.NoError(t, err)
		require.Equal(t, slots[1], other)
		return j
	}
	entry[0]++
	for range 2 {
		j = loadOther()
		for range 3 {
			more := write(t, j, nil, make([]string, slotsReserved)...)
			require.NotContains(t, more, slots[1])
			j.Remove(more...)
			require.NoError(t, j.Commit(t.Context()))
		}
		require.Empty(t, j.live)
	}
	entry[0]--
	for range 2 { // also if that version writes before it has removed the record
		var found map[Slot]string
		j, found = load(t, c)
		require.Equal(t, map[Slot]string{slots[1]: "other"}, found)
		j.Remove(write(t, j, nil, make([]string, slotsReserved)...)...)
		require.NoError(t, j.Commit(t.Context()))
	}
	write(t, j, slots[1:], "last")
	_, found := load(t, c)
	require.Len(t, found, 1)
	require.Empty(t, j.aside)
}

// Another version may have set a slot aside that lies behind the last one in order.
func TestASlotSetAsideBehindTheLastCanBeRemoved(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, "in order", "behind")
	const aside = 2 * slotsReserved
	c.Entries[KeyOfSlot(aside)] = c.Entries[KeyOfSlot(slots[1])]
	delete(c.Entries, KeyOfSlot(slots[1]))
	for _, key := range SlotsKeys {
		c.Entries[key] = encodeBounds(slots[0], slotsReserved, []Slot{aside})
	}
	j, found := load(t, c)
	require.Equal(t, map[Slot]string{slots[0]: "in order", aside: "behind"}, found)
	write(t, j, []Slot{aside})
	require.Empty(t, j.aside)
	holds(t, c, map[Slot]string{slots[0]: "in order"})
}

func TestADamagedRecordIsQuarantined(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, "flipped", "short", "of another version", "whole")
	c.Entries[KeyOfSlot(slots[0])][recordHeader] ^= 1
	c.Entries[KeyOfSlot(slots[1])] = c.Entries[KeyOfSlot(slots[1])][:recordHeader-1]
	c.Entries[KeyOfSlot(slots[2])][0] = 1
	flipped := slices.Clone(c.Entries[KeyOfSlot(slots[0])])

	j = New(c)
	var why []error
	all, err := j.Load(t.Context(), func(slot Slot, err error) {
		require.Equal(t, slots[len(why)], slot)
		why = append(why, err)
		require.NoError(t, j.Quarantine(t.Context(), slot))
	})
	require.NoError(t, err)
	require.Equal(t, []Record{{Slot: slots[3], At: at, Body: []byte("whole")}}, all)
	require.Len(t, why, 3)
	require.ErrorIs(t, why[0], ErrCorrupt)
	require.ErrorIs(t, why[1], ErrCorrupt)
	require.ErrorIs(t, why[2], ErrVersion)
	assert.Equal(t, flipped, c.Entries["corrupt-"+KeyOfSlot(slots[0])])

	require.NoError(t, j.Commit(t.Context()))
	write(t, j, nil, "a", "b", "c")
	_, found := load(t, c)
	require.Len(t, found, 4)
}

func TestAStorageThatCannotBeReadIsAnError(t *testing.T) {
	for _, of := range []int{0, 1} {
		c := journaltest.New()
		write(t, New(c), nil, "a")
		c.Ask(func(context.Context, []*storage.Operation) (bool, error) {
			of--
			return of >= 0, map[bool]error{true: nil, false: journaltest.ErrFull}[of >= 0]
		})
		_, err := New(c).Load(t.Context(), nil)
		require.ErrorIs(t, err, journaltest.ErrFull)
	}
}

func TestANilJournalHasNothingToRemove(t *testing.T) {
	var j *Journal
	j.Remove(1)
	require.NoError(t, j.Commit(t.Context()))
	require.NoError(t, j.Close(t.Context()))
}

func TestAClosedJournalWritesNothing(t *testing.T) {
	c, j := empty()
	slots := write(t, j, nil, "a")
	require.NoError(t, j.Close(t.Context()))
	require.NoError(t, j.Close(t.Context()))
	require.Equal(t, -1, c.Open, "closed once")
	_, err := j.Write(t.Context(), at, bytesOf([]string{"b"}), nil)
	require.ErrorIs(t, err, ErrStorage)
	j.Remove(slots...)
	require.NoError(t, j.Commit(t.Context()))
	holds(t, c, map[Slot]string{slots[0]: "a"})
}

// story writes and removes records until the storage fails, and says what a start must find and what it must not find.
// Whatever was under way is neither.
func story(t *testing.T, j *Journal) (there, gone map[string]bool) {
	there, gone = map[string]bool{}, map[string]bool{}
	slotOf := map[string]Slot{}
	var asked []string
	remove := func(names ...string) (slots []Slot) {
		for _, name := range names {
			slots = append(slots, slotOf[name])
			delete(there, name)
		}
		return slots
	}
	write := func(add, replace []string) bool {
		slots, err := j.Write(t.Context(), at, bytesOf(add), remove(replace...))
		if err != nil {
			return false
		}
		for i, name := range add {
			slotOf[name], there[name] = slots[i], true
		}
		for _, name := range replace {
			gone[name] = true
		}
		return true
	}
	for round := range 6 {
		name := func(i int) string { return fmt.Sprint(round, "-", i) }
		if !write([]string{name(0), name(1), name(2)}, nil) || !write([]string{name(3)}, []string{name(0)}) {
			return there, gone
		}
		asked = append(asked, name(1))
		j.Remove(remove(name(1))...)
		if round%2 == 1 {
			if j.Commit(t.Context()) != nil {
				return there, gone
			}
			for _, name := range asked {
				gone[name] = true
			}
		}
	}
	return there, gone
}

// The process ends at any operation of the storage, whether that was done or not. Nothing that was acknowledged is lost, and
// nothing comes back whose removal was acknowledged.
func TestACrashAtAnyOperation(t *testing.T) {
	for _, done := range []bool{false, true} {
		for n := 0; ; n++ {
			c := journaltest.New()
			left := n
			c.Ask(func(context.Context, []*storage.Operation) (bool, error) {
				left--
				switch {
				case left >= 0:
					return true, nil
				case left == -1:
					return done, journaltest.ErrFull
				}
				return false, journaltest.ErrFull
			})
			there, gone := story(t, New(c))
			c.Ask(nil)
			j, found := load(t, c)
			names := make(map[string]bool)
			for _, name := range found {
				names[name] = true
			}
			for name := range there {
				require.True(t, names[name], "%s is lost by a crash at operation %d", name, n)
			}
			for name := range gone {
				require.False(t, names[name], "%s is back after a crash at operation %d", name, n)
			}
			more := write(t, j, nil, "more", "and more")
			for _, slot := range more {
				require.NotContains(t, found, slot, "a slot in use")
			}
			if left >= 0 {
				break
			}
		}
	}
}

// Goroutines add, replace and remove at once, while the storage fails now and then, before or after it did what it was asked.
func TestWritersAtOnce(t *testing.T) {
	c, j := empty()
	asked := 0
	var mu sync.Mutex
	c.Ask(func(context.Context, []*storage.Operation) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		asked++
		if asked%7 == 0 {
			return asked%2 == 0, journaltest.ErrFull
		}
		return true, nil
	})
	const writers, rounds = 8, 300
	var wg sync.WaitGroup
	want := make([]map[Slot]string, writers)
	for w := range writers {
		want[w] = make(map[Slot]string)
		wg.Go(func() {
			var last, kept Slot
			for round := range rounds {
				body := fmt.Sprint(w, "-", round)
				var replaced []Slot
				if last != 0 {
					replaced = []Slot{last}
				}
				slots, err := j.Write(t.Context(), at, bytesOf([]string{body, body + " kept"}), replaced)
				if err != nil {
					if last != 0 { // it may be gone
						j.Remove(last)
						last = 0
					}
					continue
				}
				if round%3 == 0 && kept != 0 {
					j.Remove(kept)
					delete(want[w], kept)
				}
				last, kept = slots[0], slots[1]
				want[w][kept] = body + " kept"
				if round%50 == 0 {
					_ = j.Commit(t.Context())
				}
			}
			if last != 0 {
				j.Remove(last)
			}
		})
	}
	wg.Wait()
	c.Ask(nil)
	require.NoError(t, j.Commit(t.Context()))
	all := make(map[Slot]string)
	for w := range want {
		maps.Copy(all, want[w])
	}
	_, found := load(t, c)
	require.Equal(t, all, found)
	require.Len(t, c.Keys(), len(all)+len(SlotsKeys))
	for _, body := range found {
		require.True(t, strings.HasSuffix(body, " kept"))
	}
}
