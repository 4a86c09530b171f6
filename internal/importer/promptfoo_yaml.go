package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxReferences is how many references are followed: they may lead to each other.
const maxReferences = 10_000

// yamlAsJSON is a YAML document as JSON, with its references resolved. Dates are texts.
func yamlAsJSON(text []byte) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	datesAsTexts(&document)
	var value any
	if err := document.Decode(&value); err != nil {
		return nil, err
	}
	value = keyed(value)
	return json.Marshal((&references{value, maxReferences}).resolved(value))
}

func datesAsTexts(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		datesAsTexts(c)
	}
}

// keyed is a value whose maps have texts as keys.
func keyed(v any) any {
	switch v := v.(type) {
	case map[any]any:
		m := map[string]any{}
		for key, value := range v {
			m[fmt.Sprint(key)] = keyed(value)
		}
		return m
	case map[string]any:
		for key, value := range v {
			v[key] = keyed(value)
		}
	case []any:
		for i, value := range v {
			v[i] = keyed(value)
		}
	}
	return v
}

// references are followed within a document, so often at most.
type references struct {
	whole any
	left  int
}

// resolved is a value with what its references to other places of the file name. A reference to another file stays.
func (r *references) resolved(v any) any {
	switch v := v.(type) {
	case map[string]any:
		ref, _ := v["$ref"].(string)
		if path, local := strings.CutPrefix(ref, "#/"); local && r.left > 0 {
			r.left--
			if found := at(r.whole, path); found != nil {
				return r.resolved(found)
			}
		}
		m := map[string]any{}
		for key, value := range v {
			m[key] = r.resolved(value)
		}
		return m
	case []any:
		list := make([]any, len(v))
		for i, value := range v {
			list[i] = r.resolved(value)
		}
		return list
	}
	return v
}

func at(v any, path string) any {
	for key := range strings.SplitSeq(path, "/") {
		m, _ := v.(map[string]any)
		v = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(key)]
	}
	return v
}

var (
	errTemplate = errors.New("a template that needs promptfoo")
	variable    = regexp.MustCompile(`\{\{-?\s*(\w+)\s*-?\}\}`)
)

// rendered is the value of an assertion with the variables of its test in place of {{ NAME }}. promptfoo does that in a text and
// in the texts of a list.
func rendered(value json.RawMessage, vars map[string]json.RawMessage) (json.RawMessage, error) {
	if !bytes.Contains(value, []byte("{{")) && !bytes.Contains(value, []byte("{%")) && !bytes.Contains(value, []byte(`"file://`)) {
		return value, nil
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		text, err := renderedText(text, vars)
		if err != nil {
			return nil, err
		}
		return json.Marshal(text)
	}
	var list []any
	if json.Unmarshal(value, &list) != nil {
		return nil, errTemplate
	}
	for i, v := range list {
		text, is := v.(string)
		if !is {
			return nil, errTemplate
		}
		var err error
		if list[i], err = renderedText(text, vars); err != nil {
			return nil, err
		}
	}
	return json.Marshal(list)
}

func renderedText(text string, vars map[string]json.RawMessage) (string, error) {
	unknown := false
	text = variable.ReplaceAllStringFunc(text, func(match string) string {
		value, known := scalar(vars[variable.FindStringSubmatch(match)[1]])
		unknown = unknown || !known
		return value
	})
	if unknown || strings.Contains(text, "{{") || strings.Contains(text, "{%") || strings.HasPrefix(text, "file://") {
		return "", errTemplate
	}
	return text, nil
}

// scalar is a text, a whole number or a truth value as a template writes it.
func scalar(value json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(value, &text) == nil && string(value) != "null" {
		return text, true
	}
	var whole int64
	var truth bool
	ok := json.Unmarshal(value, &whole) == nil || json.Unmarshal(value, &truth) == nil
	return string(value), ok && string(value) != "null"
}
