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
	file  map[string]string
	trace map[string]string
	span  map[string]string // of runs that share a trace only
}

// placesOf finds the shortest words that distinguish files, traces and the runs of one trace.
func placesOf(rows []Row) places {
	files, perTrace := map[string]bool{}, map[string]int{}
	for run := range runs(rows) {
		files[run[0].File] = true
		perTrace[run[0].TraceID]++
	}
	var spans []string
	for run := range runs(rows) {
		if perTrace[run[0].TraceID] > 1 {
			spans = append(spans, run[0].SpanID)
		}
	}
	return places{
		file:  shortFiles(slices.Collect(maps.Keys(files))),
		trace: prefixes(slices.Collect(maps.Keys(perTrace)), traceDigits),
		span:  prefixes(spans, spanDigits),
	}
}

// of is the file of a run and the beginning of its ids.
func (p places) of(r *Row) string {
	return strings.TrimSpace(escape(p.file[r.File]) + " " + p.id(r))
}

func (p places) id(r *Row) string {
	id := p.trace[r.TraceID]
	if span := p.span[r.SpanID]; span != "" {
		id += "/" + span
	}
	return id
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

// shortFiles gives each file its name, with its folder if another file has the same name. Standard input has none.
func shortFiles(files []string) map[string]string {
	of := map[string]int{}
	for _, f := range files {
		of[filepath.Base(f)]++
	}
	short := make(map[string]string, len(files))
	for _, f := range files {
		short[f] = filepath.ToSlash(f)
		if base := filepath.Base(f); of[base] == 1 {
			short[f] = base
		}
	}
	return short
}
