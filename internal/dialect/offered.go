package dialect

import (
	"slices"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// offered are the names of the tools that a model could request, or none if the span does not list them. They are in the
// memory of the scratch, and may be parts of the span's texts.
type offered []string

// of removes the requests of tools that were not offered, because they cannot have been executed.
func (a ModelResponse) of(o offered) ModelResponse {
	const few = 8 // calls, for which it is not worth putting the names in order
	switch {
	case len(o) == 0:
		return a
	case len(a.Requests) <= few:
		a.Requests = slices.DeleteFunc(a.Requests, func(call ToolRequest) bool { return !slices.Contains(o, call.Name) })
	default:
		slices.Sort(o)
		a.Requests = slices.DeleteFunc(a.Requests, func(call ToolRequest) bool {
			_, found := slices.BinarySearch(o, call.Name)
			return !found
		})
	}
	if len(a.Requests) == 0 {
		a.Requests = nil
	}
	return a
}

// toolNames are the names in a list of tools, however a provider describes a tool. A list that is empty, or has a tool
// without a name, counts as none, because other tools may have been offered as well.
func (d *Scratch) toolNames(tools scoring.Value) offered {
	d.names = emptied(d.names)
	used := d.used
	for tool := range tools.Elements() {
		d.used = used // the tool before has been read
		if tool.Kind() == scoring.String {
			tool = d.opened(tool)
		}
		if !d.offer(tool) {
			return nil
		}
	}
	return d.names
}

// toolTexts are the names in a list of texts that each describe a tool. They are decoded in place, and not as strings of a
// larger document, which would be decoded twice.
func (d *Scratch) toolTexts(tools pcommon.Slice) offered {
	d.names = emptied(d.names)
	used := d.used
	for _, tool := range tools.All() {
		d.used = used // the tool before has been read
		v, isJSON := d.jsonIn(tool.Str())
		if isJSON && !d.offer(v) || !isJSON && !d.offerNamed(tool.Str()) {
			return nil
		}
	}
	return d.names
}

// toolsIn are the names in the attribute key.
func (s *source) toolsIn(key string) offered {
	v, ok := s.attributes.Get(key)
	if !ok {
		return nil
	}
	if v.Type() == pcommon.ValueTypeSlice && areTexts(v.Slice()) {
		return s.scratch.toolTexts(v.Slice())
	}
	return s.scratch.toolNames(s.scratch.documentOf(v, nil))
}

func areTexts(list pcommon.Slice) bool {
	for _, v := range list.All() {
		if v.Type() != pcommon.ValueTypeStr || !utf8.ValidString(v.Str()) {
			return false
		}
	}
	return true
}

// offer adds the name of a tool, or those of all functions that a tool of Gemini declares. It is false if there is none.
func (d *Scratch) offer(tool scoring.Value) bool {
	if functions := first(tool, "functionDeclarations", "function_declarations"); functions.Len() > 0 {
		for function := range functions.Elements() {
			if !d.offerNamed(member(function, "name")) {
				return false
			}
		}
		return len(d.names) > 0
	}
	if tool.Kind() == scoring.String {
		return d.offerNamed(valid(tool.Text()))
	}
	for _, holder := range [...]scoring.Value{tool, at(tool, "function"), at(tool, "toolSpec")} {
		switch name := member(holder, "name"); {
		case name == finalAnswer && member(holder, "description") == finalAnswerText:
			d.names = append(d.names, "") // the list is not empty, and no request can name what is in it
			return true
		case name != "":
			return d.offerNamed(name)
		}
	}
	return false
}

func (d *Scratch) offerNamed(name string) bool {
	if name == "" {
		return false
	}
	d.names = append(d.names, name)
	return true
}
