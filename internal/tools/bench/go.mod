// benchstat, pinned, in a module of its own because it asks for a newer Go than the rest.
// Run it with: go tool -modfile=internal/tools/bench/go.mod benchstat old.txt new.txt
module github.com/toolcorrectness/toolcorrectnessprocessor/internal/tools/bench

go 1.26.0

tool golang.org/x/perf/cmd/benchstat

require (
	github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
	golang.org/x/perf v0.0.0-20260908200009-22c9c6c9d4da // indirect
)
