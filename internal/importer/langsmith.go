package importer

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// readLangSmith reads examples of a LangSmith dataset, as a JSON list or JSON lines. Where an example keeps its expected
// tools is not fixed, so a JSON pointer says it. There stands a list of names, of tool calls, or of messages with tool calls.
func readLangSmith(s *Set, text []byte) error {
	examples, err := values(text)
	if err != nil {
		return err
	}
	if s.Pointer == "" {
		return errors.New("-pointer says where an example has its expected tools, such as /outputs/expected_tools")
	}
	for i, raw := range examples {
		if err := s.example(i, raw); err != nil {
			return fmt.Errorf("example %d: %w", i+1, err)
		}
	}
	return nil
}

func (s *Set) example(i int, raw json.RawMessage) error {
	var e, metadata object
	if err := json.Unmarshal(raw, &e); err != nil {
		return err
	}
	if err := e.get("metadata", &metadata); err != nil {
		return err
	}
	found, err := pointed(raw, s.Pointer)
	if err != nil {
		return err
	}
	if found == nil {
		s.note("example without " + s.Pointer)
		return nil
	}
	key := cmp.Or(metadata.text("name"), e.text("name"), e.text("id"), fmt.Sprintf("example/%d", i+1))
	var names []string
	if json.Unmarshal(found, &names) == nil {
		x := Case{Key: key, Tools: []Tool{}}
		for _, name := range names {
			x.Tools = append(x.Tools, Tool{Name: name})
		}
		s.Cases = append(s.Cases, x)
		return nil
	}
	var list []object
	if err := json.Unmarshal(found, &list); err != nil {
		return fmt.Errorf("%s: must be a list of names, tool calls or messages", s.Pointer)
	}
	if len(list) > 0 && isCall(list[0]) {
		wrapped, err := json.Marshal(map[string]any{"tool_calls": found})
		if err != nil {
			return err
		}
		return s.trajectory(key, []json.RawMessage{wrapped})
	}
	var messages []json.RawMessage
	if err := json.Unmarshal(found, &messages); err != nil {
		return err
	}
	return s.trajectory(key, messages)
}

// isCall reports whether an object is a tool call, and no message.
func isCall(o object) bool {
	return o["function"] != nil || o["args"] != nil || o["arguments"] != nil || o["name"] != nil && o["role"] == nil && o["content"] == nil
}

// pointed is the value at a JSON pointer (RFC 6901), or nil if there is none.
func pointed(value json.RawMessage, pointer string) (json.RawMessage, error) {
	if !strings.HasPrefix(pointer, "/") {
		return nil, fmt.Errorf("-pointer must begin with a /, is %q", pointer)
	}
	for part := range strings.SplitSeq(pointer[1:], "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		var list []json.RawMessage
		var members map[string]json.RawMessage
		switch {
		case json.Unmarshal(value, &members) == nil:
			value = members[part]
		case json.Unmarshal(value, &list) == nil:
			n, err := strconv.Atoi(part)
			if err != nil || n < 0 || n >= len(list) {
				return nil, nil
			}
			value = list[n]
		default:
			return nil, nil
		}
		if value == nil || string(value) == "null" {
			return nil, nil
		}
	}
	return value, nil
}

// metricLangSmith is full recall by name, and by arguments if an example has any. LangSmith itself has no metric for tools.
func metricLangSmith(*Set) (string, [][2]string) {
	return "native", [][2]string{{"arguments", "subset"}, {"score", "all_or_nothing"}, {"threshold", "1"}}
}
