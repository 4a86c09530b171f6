package dialect

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// crewAsks is a message of the assistant that requests calls, "id name" each.
func crewAsks(requests ...string) string {
	var calls []string
	for _, request := range requests {
		id, name, _ := strings.Cut(request, " ")
		calls = append(calls, fmt.Sprintf(`{'id': '%s', 'type': 'function', 'function': {'name': '%s', 'arguments': '{}'}}`, id, name))
	}
	return `{'role': 'assistant', 'content': '', 'tool_calls': [` + strings.Join(calls, ", ") + `]}`
}

// crewShown is a message with the result of a call.
func crewShown(id, tool, content string) string {
	return fmt.Sprintf(`{'role': 'tool', 'content': '%s', 'tool_call_id': '%s', 'name': '%s'}`, content, id, tool)
}

// crewFailed is the record of a failure.
func crewFailed(tool, why, reason string) string {
	return fmt.Sprintf(`ToolFailureRecord(tool_name='%s', failure=ToolFailure(message='%s', reason=<ToolFailureReason.%s>), tool_args={})`, tool, why, reason)
}

// crewOutput is that of a task. failures are apart from messages by "!".
func crewOutput(agent string, parts ...string) string {
	at := slices.Index(parts, "!")
	if at < 0 {
		at = len(parts)
	}
	messages, failures := parts[:at], parts[min(at+1, len(parts)):]
	return fmt.Sprintf(`TaskOutput(agent=%s, messages=[%s], tool_failures=[%s])`, agent, strings.Join(messages, ", "), strings.Join(failures, ", "))
}

// crewSays reads the output of tasks, and writes a share as "agent: call call | call" with a bar between messages, then the failed calls as "! call".
func crewSays(text string) (lines []string, unread bool) {
	span := newSpan("", map[string]any{crewOutputs: text})
	a := CrewMessages.Response(span, everything, new(Scratch))
	requests := a.Requests
	for _, share := range a.Shares {
		var messages []string
		for _, n := range share.Messages {
			var ids []string
			for _, q := range requests[:n] {
				ids = append(ids, q.ID)
			}
			requests, messages = requests[n:], append(messages, strings.Join(ids, " "))
		}
		lines = append(lines, share.Agent+": "+strings.Join(messages, " | "))
	}
	for _, r := range a.Results {
		lines = append(lines, "! "+r.ID)
	}
	return lines, a.Unread
}

// The output of tasks says which agent requested which calls, and which of them failed. Strings in it decide nothing.
func TestTasks(t *testing.T) {
	const exception, unknown = "EXCEPTION: 'exception'", "UNKNOWN_TOOL: 'unknown_tool'"
	for _, tc := range []struct {
		name    string
		outputs []string
		want    []string
		reason  string
	}{
		{"a message each", []string{crewOutput(`'desk'`, crewAsks("i search"), crewShown("i", "search", "found"), crewAsks("j fetch"))}, []string{"desk: i | j"}, "messages are in order"},
		{"one message", []string{crewOutput(`'desk'`, crewAsks("i search", "j fetch"))}, []string{"desk: i j"}, "calls of a message stand together"},
		{"a message without calls", []string{crewOutput(`'desk'`, crewAsks("i search"), crewAsks(), crewAsks("j fetch"))}, []string{"desk: i | j"}, "it requested nothing"},
		{"a task without calls", []string{crewOutput(`'desk'`, crewAsks("i search")), crewOutput(`'clerk'`, crewAsks())}, []string{"desk: i", "clerk: "}, "each task is there, in order"},
		{"two tasks of one agent", []string{crewOutput(`'desk'`, crewAsks("i search")), crewOutput(`'desk'`, crewAsks("j fetch"))}, []string{"desk: i", "desk: j"}, "each task is one of its own"},
		{"a task without an agent", []string{crewOutput(`None`, crewAsks("i search"))}, nil, "None is no name"},
		{"an agent that is no text", []string{crewOutput(`Agent(role='desk')`, crewAsks("i search"))}, nil, "its role is a text, and this is none"},
		{"other roles", []string{crewOutput(`'desk'`, crewAsks("i search"), strings.Replace(crewAsks("j fetch"), "assistant", "user", 1))}, []string{"desk: i"}, "only models request calls"},
		{"a failure", []string{crewOutput(`'desk'`, crewAsks("i search"), crewShown("i", "search", "Error: gone"), "!", crewFailed("search", "gone", exception))}, []string{"desk: i", "! i"},
			"the result ends with the text of the failure"},
		{"a failure, and later a success", []string{crewOutput(`'desk'`, crewAsks("i search"), crewShown("i", "search", "Error: gone"), crewAsks("j search"), crewShown("j", "search", "found"),
			"!", crewFailed("search", "gone", exception))}, []string{"desk: i | j", "! i"}, "each failure is one call's"},
		{"a success, and later a failure", []string{crewOutput(`'desk'`, crewAsks("i search"), crewShown("i", "search", "found"), crewAsks("j search"), crewShown("j", "search", "Error: gone"),
			"!", crewFailed("search", "gone", exception))}, []string{"desk: i | j", "! j"}, "the first result does not end with its text"},
		{"two failures of one tool", []string{crewOutput(`'desk'`, crewAsks("i search", "j search"), crewShown("i", "search", "gone"), crewShown("j", "search", "gone"),
			"!", crewFailed("search", "gone", exception), crewFailed("search", "gone", exception))}, []string{"desk: i j", "! i", "! j"}, "each failure takes the next result"},
		{"failures in another order than results", []string{crewOutput(`'desk'`, crewAsks("i search", "j fetch"), crewShown("i", "search", "gone"), crewShown("j", "fetch", "away"),
			"!", crewFailed("fetch", "away", exception), crewFailed("search", "gone", exception))}, []string{"desk: i j", "! j"}, "failures are recorded as they happen, so the second is of no result"},
		{"another tool's failure", []string{crewOutput(`'desk'`, crewAsks("i search"), crewShown("i", "search", "gone"), "!", crewFailed("fetch", "gone", exception))}, []string{"desk: i"}, "it is not of this tool"},
		{"a failure that no model was shown", []string{crewOutput(`'desk'`, crewAsks("i search"), "!", crewFailed("search", "gone", exception))}, []string{"desk: i"}, "nothing says which call it was"},
		{"a tool that there is not", []string{crewOutput(`'desk'`, crewAsks("i search", "j fetch"), crewShown("i", "search", "no such tool"), "!", crewFailed("search", "no such tool", unknown))},
			[]string{"desk: j", "! i"}, "nothing was called"},
		{"the id of a tool that there is not", []string{crewOutput(`'desk'`, crewAsks("i search", "i fetch"), crewShown("i", "search", "no such tool"), "!", crewFailed("search", "no such tool", unknown))},
			[]string{"desk: i", "! i"}, "another tool with the same id was called"},
		{"a tool that there is not, in another task", []string{crewOutput(`'desk'`, crewAsks("i search")), crewOutput(`'clerk'`, crewAsks("i search"), crewShown("i", "search", "no such tool"),
			"!", crewFailed("search", "no such tool", unknown))}, []string{"desk: i", "clerk: ", "! i"}, "tasks have tools of their own"},
		{"a reason in a text", []string{crewOutput(`'desk'`, crewAsks("i search"), crewShown("i", "search", "gone"), "!", strings.Replace(crewFailed("search", "gone", exception),
			"<ToolFailureReason.EXCEPTION: 'exception'>", `"no <ToolFailureReason.UNKNOWN_TOOL"`, 1))}, []string{"desk: i", "! i"}, "the reason must begin so"},
		{"messages in a text", []string{fmt.Sprintf(`TaskOutput(agent='desk', messages=["%s"])`, crewAsks("i search"))}, nil, "a text is no message"},
		{"neither calls nor failures", []string{`TaskOutput(agent='desk', messages=[])`}, nil, "only a parser knows that the list ends"},
		{"a text that is cut off", []string{crewOutput(`'desk'`, crewAsks("i search"))[:60]}, nil, "it may say anything"},
		{"other Python", []string{`f('tool_calls')`}, nil, "a call without names is no output"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, _ := crewSays("[" + strings.Join(tc.outputs, ", ") + "]"); !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q: %s", got, tc.want, tc.reason)
			}
		})
	}
	if got, _ := crewSays(crewAsks("i search")); len(got) != 0 {
		t.Errorf("%q: a message is no list of tasks", got)
	}
}

// What a sender writes as elements of the list costs no memory, unless it is the output of a task.
func TestTasksAreOutputsOfTasksOnly(t *testing.T) {
	one := crewOutput(`'desk'`, crewAsks("i search"))
	for _, tc := range []struct {
		name, text string
		want       int
		reason     string
	}{
		{"an output among others", `1, 'tool_calls', Agent(role='desk'), ` + one + `, {'agent': 'desk'}, [` + one + `]`, 1, "nothing else is a task"},
		{"numbers", `'tool_calls'` + strings.Repeat(", 1", 1000), 0, "each would be a task in memory"},
		{"a long result", crewOutput(`'desk'`, crewAsks("i search"), crewShown("i", "search", strings.Repeat("found ", 1<<18))), 1, "a tool does not hide the calls of its crew"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got, _ := crewSays("[" + tc.text + "]"); len(got) != tc.want {
				t.Errorf("%d tasks, want %d: %s", len(got), tc.want, tc.reason)
			}
		})
	}
}

// Long outputs cost in proportion, also if a failure with a long text waits for its message.
func TestTasksGrowLinearly(t *testing.T) {
	for name, text := range map[string]func(n int) string{
		"messages": func(n int) string {
			return crewOutput(`'desk'`, slices.Repeat([]string{crewAsks("i search", "j fetch")}, n)...)
		},
		"a long failure and many messages": func(n int) string {
			long := strings.Repeat(`\n`, n) + "x"
			return crewOutput(`'desk'`, append(slices.Repeat([]string{crewShown("i", "search", "found")}, n), crewAsks("i search"), "!", crewFailed("search", long, "EXCEPTION: 'e'"))...)
		},
		"many failures and many messages": func(n int) string {
			messages := slices.Repeat([]string{crewShown("i", "search", "gone")}, n)
			return crewOutput(`'desk'`, slices.Concat(messages, []string{crewAsks("i search"), "!"}, slices.Repeat([]string{crewFailed("search", "gone", "E: 'e'")}, n))...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			allocated := func(n int) uint64 {
				text := "[" + text(n) + "]"
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				lines, _ := crewSays(text)
				runtime.ReadMemStats(&after)
				if len(lines) == 0 {
					t.Error("nothing is read")
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			if little, much := allocated(1<<9), allocated(1<<11); much > 6*little {
				t.Errorf("%d bytes, and %d for four times as much: each message is read once", little, much)
			}
		})
	}
}

// What may have calls and is not read says so.
func TestTasksThatAreNotRead(t *testing.T) {
	task := crewOutput(`'desk'`, crewAsks("i search"))
	for _, tc := range []struct {
		name, text string
		want       bool
		reason     string
	}{
		{"read", "[" + task + "]", true, "all is there"},
		{"no calls", "[" + crewOutput(`'desk'`) + "]", true, "likewise"},
		{"no text", "", true, "there is nothing to read"},
		{"hidden", "<redacted>", true, "it is no output of tasks"},
		{"cut off", "[" + task[:len(task)-5], false, "its end is missing"},
		{"cut off before its calls", "[" + task[:20], false, "likewise"},
		{"many tasks", "[" + strings.Repeat(task+", ", maxTasks) + task + "]", false, "the last one is not read"},
		{"many values", "[" + strings.TrimSuffix(task, ")") + ", json_dict={'a': [" + strings.Repeat("1, ", maxValues) + "1]})]", false, "none are read"},
		{"values of any kind", "[" + strings.TrimSuffix(task, ")") + ", json_dict={'a': datetime.date(2026, 11, 2), (1, 2): nan, 'b': '\\ud800'})]", true, "they are no calls"},
	} {
		if _, unread := crewSays(tc.text); unread == tc.want {
			t.Errorf("%s: unread is %t: %s", tc.name, unread, tc.reason)
		}
	}
}
