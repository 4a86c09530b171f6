package report

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// An id is shown with at least these numbers of digits. They are easy to find again, as in git.
const (
	traceDigits = 8
	spanDigits  = 4
)

// places say where runs are, in a few words.
type places struct {
	file map[string]string
	// trace is nil if there are too many runs. Ids are then shown as they are.
	trace map[string]string
	// span has an entry for runs that share a trace only.
	span map[string]string
}

// mostPlaces is how many runs have short ids. The ids of more are not compared, because all of them would be in memory.
const mostPlaces = 100_000

// placesOf finds the shortest words that distinguish files, traces and the runs of one trace.
func placesOf(rows Rows) (places, error) {
	files := map[string]bool{}
	var ids [][2]string // of trace and span
	perTrace := map[string]int{}
	n := 0
	err := rows.Each(func(run []Row) error {
		files[run[0].File] = true
		if n++; n <= mostPlaces {
			ids = append(ids, [2]string{run[0].TraceID, run[0].SpanID})
			perTrace[run[0].TraceID]++
		}
		return nil
	})
	p := places{file: shortFiles(slices.Collect(maps.Keys(files)))}
	if n > mostPlaces {
		return p, err
	}
	var traces, spans []string
	for _, id := range ids {
		traces = append(traces, id[0])
		if perTrace[id[0]] > 1 {
			spans = append(spans, id[1])
		}
	}
	p.trace, p.span = prefixes(traces, traceDigits), prefixes(spans, spanDigits)
	return p, err
}

// of is the file of a run and the beginning of its ids.
func (p places) of(r *Row) string {
	return strings.TrimSpace(escape(p.file[r.File]) + " " + p.id(r.TraceID, r.SpanID))
}

func (p places) id(trace, span string) string {
	if p.trace == nil {
		return strings.TrimSuffix(trace+"/"+span, "/")
	}
	id := p.trace[trace]
	if s := p.span[span]; s != "" {
		id += "/" + s
	}
	return id
}

// longestID is the width of the longest id.
func (p places) longestID() int {
	if p.trace == nil {
		return 32 + len("/") + 16
	}
	trace, span := 0, 0
	for _, s := range p.trace {
		trace = max(trace, len(s))
	}
	for _, s := range p.span {
		span = max(span, len(s)+len("/"))
	}
	return trace + span
}

// prefixes gives each id its shortest beginning that no other id has and that has at least that number of digits.
func prefixes(ids []string, digits int) map[string]string {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	short := make(map[string]string, len(ids))
	for i, id := range ids {
		n := digits
		if i > 0 {
			n = max(n, common(ids[i-1], id)+1)
		}
		if i+1 < len(ids) {
			n = max(n, common(id, ids[i+1])+1)
		}
		short[id] = id[:min(n, len(id))]
	}
	return short
}

// common is how many bytes a and b have in common at their beginnings.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// shortFiles gives each file its name, with as many folders before it as make it unique.
func shortFiles(files []string) map[string]string {
	slices.Sort(files)
	files = slices.Compact(files)
	short := make(map[string]string, len(files))
	for depth := 1; len(files) > 0; depth++ {
		byName := map[string][]string{}
		for _, f := range files {
			byName[tail(f, depth)] = append(byName[tail(f, depth)], f)
		}
		files = nil
		for name, same := range byName {
			if len(same) == 1 || depth == maxFolders {
				for _, f := range same {
					short[f] = name
				}
				continue
			}
			files = append(files, same...)
		}
	}
	return short
}

// maxFolders bounds how many folders are looked at. Paths that differ further up are shown alike.
const maxFolders = 64

// tail is the last n elements of a path.
func tail(path string, n int) string {
	parts := strings.Split(filepath.ToSlash(path), "/")
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}
