package configcheck

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxYAML bounds a file of YAML, in bytes. Thousands of cases belong in a dataset of JSON lines.
const MaxYAML = 16 << 20

// YAMLList reads the YAML of a file, which must be one list. of names its elements in errors. JSON is valid YAML.
func YAMLList(file string, text []byte, of string) (*yaml.Node, error) {
	var document yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(text))
	err := d.Decode(&document)
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%s: is empty: it must be a list of %s ([] for none)", file, of)
	case err != nil:
		return nil, YAMLError(file, err)
	}
	if err := d.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: must be one YAML document, has more behind a ---", file)
	}
	root := document.Content[0]
	if root.Kind != yaml.SequenceNode {
		return nil, fmt.Errorf("%s:%d: must be a list of %s, each beginning with a -", file, root.Line, of)
	}
	return root, nil
}

// fromZero are the errors whose lines the YAML parser counts from 0. It counts those of all other errors from 1.
var fromZero = regexp.MustCompile(`^did not find expected (<|node content|'-' indicator|key|',' or)`)

// YAMLError is an error of the YAML parser about a file, which names the line itself, in the form of our own.
func YAMLError(file string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n  ")
	var line int
	if n, _ := fmt.Sscanf(text, "line %d: ", &line); n != 1 {
		return fmt.Errorf("%s: is no YAML: %s", file, text)
	}
	_, text, _ = strings.Cut(text, ": ")
	if fromZero.MatchString(text) {
		line++
	}
	return fmt.Errorf("%s:%d: %s", file, line, text)
}

// LineOf is the line of the key at a path below a node, or of the last key on the way to it that is there.
func LineOf(node *yaml.Node, path string) int {
	line := node.Line
	path = strings.TrimPrefix(path, ".")
	for next := node; next != nil; path = strings.TrimPrefix(path, ".") {
		node, next = next, nil
		best := ""
		for i := 0; i < len(node.Content); i++ {
			key, value := node.Content[i], node.Content[i]
			name := fmt.Sprintf("[%d]", i)
			if node.Kind == yaml.MappingNode {
				i++
				name, value = key.Value, node.Content[i]
			}
			if len(name) > len(best) && isBelow(path, name) { // the longest one: a name may have dots
				best, line, next = name, key.Line, value
			}
		}
		path = path[len(best):]
	}
	return line
}
