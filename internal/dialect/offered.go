package dialect

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/toolname"
	"github.com/toolcorrectness/toolcorrectnessprocessor/scoring"
)

// offered are the names of the tools that a model could request, or none if the span does not list them. They are in the
// memory of the scratch, and may be parts of the span's texts.
type offered []string

// of removes the requests of tools that were not offered, because they cannot have been executed. A framework may find a tool
// although the model spelled its name with other case or separators. Such a request has the name of the tool that was offered.
func (a ModelResponse) of(o offered) ModelResponse {
	const few = 8 // calls, for which it is not worth putting the names in order
	if len(o) == 0 {
		return a
	}
	sorted := len(a.Requests) > few
	if sorted {
		slices.Sort(o)
	}
	var tools toolname.Spellings
	kept := a.Requests[:0]
	for _, call := range a.Requests {
		var found bool
		if sorted {
			_, found = slices.BinarySearch(o, call.Name)
		} else {
			found = slices.Contains(o, call.Name)
		}
		if !found {
			if tools == nil {
				tools = make(toolname.Spellings, len(o))
				for _, name := range o {
					tools.Add(toolname.Key(name), name)
				}
			}
			name, alike := tools.Of(toolname.Key(call.Name))
			if !alike && !call.Hosted && !call.Answered { // a provider's own tools may be missing in the list
				if call.Name != finalAnswer || !slices.Contains(o, "") { // see offer
					a.NotOffered = append(a.NotOffered, call)
				}
				continue
			}
			call.Name = cmp.Or(name, call.Name)
		}
		kept = append(kept, call)
	}
	clear(a.Requests[len(kept):])
	if a.Requests = kept; len(kept) == 0 {
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
	tools, _ := s.scratch.documentOf(v, nil)
	return s.scratch.toolNames(tools)
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
	for _, holder := range [...]scoring.Value{tool, at(tool, "function"), at(tool, "custom"), at(tool, "toolSpec")} {
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
