package yardsticks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// RestBench counts a run as right if the solution's calls are a part of its path, in their order. The models' paths are published, and the
// verdicts as a rate only, so each is computed here by the rule.
func TestRestBench(t *testing.T) {
	var cases []toolCase
	var trials []trial
	for _, run := range readLines[struct {
		Model          string
		ID             int
		Solution, Path []string
	}](t, filepath.Join("testdata", "restbench-tmdb.jsonl.gz")) {
		id := strconv.Itoa(run.ID)
		if run.Model == "chatgpt" {
			c := toolCase{Key: id}
			for _, name := range run.Solution {
				c.Tools = append(c.Tools, tool{Name: name})
			}
			cases = append(cases, c)
		}
		tr := trial{model: run.Model, name: id, expected: id, published: 1}
		rest := run.Path
		for _, name := range run.Solution {
			at := slices.Index(rest, name)
			if at < 0 {
				tr.published = 0
				break
			}
			rest = rest[at+1:]
		}
		for _, name := range run.Path {
			tr.answers = append(tr.answers, []call{{Name: name, Arguments: []byte("{}")}})
		}
		trials = append(trials, tr)
	}
	require.Len(t, trials, 200)
	reproduce(t, yardstick{name: "restbench", options: "{ order: in_order, score: all_or_nothing }"}, cases, trials)
}

// tau2-bench looks for each of the expected actions among the calls. compare_args names the arguments that must be equal: nothing means
// those of the call, and an empty list none.
func TestTau2(t *testing.T) {
	var cases []toolCase
	var trials []trial
	for _, run := range readLines[struct {
		Task   string
		Checks []struct {
			Match       bool
			Name        string
			Arguments   map[string]json.RawMessage
			CompareArgs []string `json:"compare_args"`
		}
		Answers []answer
	}](t, filepath.Join("testdata", "tau2-airline.jsonl.gz")) {
		c := toolCase{Key: run.Task}
		found := 0
		for _, check := range run.Checks {
			expected := tool{Name: check.Name, Arguments: check.Arguments, ArgumentsMatch: "superset"}
			switch {
			case check.CompareArgs != nil && len(check.CompareArgs) == 0:
				expected.ArgumentsMatch = "ignore"
			case check.CompareArgs != nil:
				compared := map[string]json.RawMessage{}
				for _, name := range check.CompareArgs {
					compared[name] = check.Arguments[name]
				}
				expected.Arguments, expected.ArgumentsMatch = compared, "subset"
			}
			c.Tools = append(c.Tools, expected)
			if check.Match {
				found++
			}
		}
		cases = append(cases, c)
		trials = append(trials, trial{
			model: "whissle", name: run.Task, expected: run.Task, answers: callsOf(run.Answers), published: float64(found) / float64(len(run.Checks)),
		})
	}
	require.Len(t, trials, 43)
	reproduce(t, yardstick{name: "tau2-bench", options: "{ repeats: unique, arguments: superset, threshold: 1 }"}, cases, trials)
}

// tau-bench compares the database after a run with that after the task's actions, and looks for texts in what the agent said. A trajectory
// shows neither. Here the calls that change the database must be those of the task, and the others are free.
func TestTauBench(t *testing.T) {
	free := tool{Names: []string{"get_*", "search_*", "list_*", "calculate", "think", "transfer_to_human_agents"}, Count: map[string]int{"min": 0}}
	writes := regexp.MustCompile("^(book|cancel|update|send)_")
	var cases []toolCase
	var trials []trial
	passed := map[bool]float64{}
	for _, run := range readLines[struct {
		Task, Trial int
		Reward      float64
		Actions     []call
		Answers     []answer
	}](t, filepath.Join("testdata", "tau-bench-airline.jsonl.gz")) {
		key := strconv.Itoa(run.Task)
		if run.Trial == 0 {
			c := toolCase{Key: key, Tools: []tool{free}}
			for _, action := range run.Actions {
				if writes.MatchString(action.Name) {
					c.Tools = append(c.Tools, tool{Name: action.Name, Arguments: action.Arguments})
				}
			}
			cases = append(cases, c)
		}
		passed[run.Reward == 1]++
		trials = append(trials, trial{
			model: "gpt-4o", name: fmt.Sprintf("%d.%d", run.Task, run.Trial), expected: key, answers: callsOf(run.Answers), published: run.Reward,
		})
	}
	require.Equal(t, map[bool]float64{true: 84, false: 116}, passed, "0.420, as tau-bench's README says")
	reproduce(t, yardstick{name: "tau-bench", options: "{ arguments: exact, score: all_or_nothing, extra_calls: forbid }", calls: "failed: ignore"}, cases, trials)
}

// An answer is the calls that a model asked for at once.
type answer []struct {
	call
	Failed bool
}

func callsOf(answers []answer) (all [][]call) {
	for _, a := range answers {
		var calls []call
		for _, made := range a {
			made.call.failed = made.Failed
			calls = append(calls, made.call)
		}
		all = append(all, calls)
	}
	return all
}
