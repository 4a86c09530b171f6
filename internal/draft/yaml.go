package draft

import (
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// writeConfig writes a collector configuration with this section of the processor, below a comment. Texts stay what they are:
// what a collector would take for the name of a variable is escaped, and a comment cannot end early. Characters that are invisible
// or rearrange others are escaped, and load as they were.
func writeConfig(w io.Writer, section node, head string) error {
	processors, whole := yamlMap(), yamlMap()
	processors.add("tool_correctness", section)
	whole.add("processors", processors)
	whole.HeadComment = comment(head)
	return write(w, whole)
}

func write(w io.Writer, document node) error {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(document.Node); err != nil {
		return err
	}
	if err := e.Close(); err != nil {
		return err
	}
	_, err := w.Write(report.EscapeJSON(b.Bytes(), unicode.MaxRune)) // hidden characters are only in texts in double quotes
	return err
}

// A node is a part of a YAML document.
type node struct{ *yaml.Node }

// yamlMap is a map without keys.
func yamlMap() node { return node{&yaml.Node{Kind: yaml.MappingNode}} }

// yamlList is a list of texts.
func yamlList(texts ...string) node {
	list := node{&yaml.Node{Kind: yaml.SequenceNode}}
	for _, s := range texts {
		list.push(yamlText(s))
	}
	return list
}

// add adds a key to a map.
func (n node) add(key string, value node) {
	n.Content = append(n.Content, yamlText(key).Node, value.Node)
}

// push adds an element to a list.
func (n node) push(value node) { n.Content = append(n.Content, value.Node) }

// yamlText is a text that a collector takes as it is: it would read a dollar as the name of a variable.
func yamlText(s string) node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: strings.ReplaceAll(s, "$", "$$")}
	if strings.ContainsFunc(s, func(r rune) bool { return visible(r) != r }) || oldWords[strings.ToLower(s)] {
		n.Style = yaml.DoubleQuotedStyle
	}
	return node{n}
}

// oldWords are texts that some readers of YAML take for truth values.
var oldWords = map[string]bool{"yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

// yamlWord is a number, a truth value or a plain word as it is written.
func yamlWord(s string) node { return node{&yaml.Node{Kind: yaml.ScalarNode, Value: s}} }

// yamlJSON is JSON as YAML.
func yamlJSON(text []byte) (node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return yamlNext(d)
}

func yamlNext(d *json.Decoder) (node, error) {
	token, err := d.Token()
	if err != nil {
		return node{}, err
	}
	switch token := token.(type) {
	case string:
		return yamlText(token), nil
	case json.Number:
		return yamlWord(token.String()), nil
	case bool:
		return yamlWord(strconv.FormatBool(token)), nil
	case json.Delim:
		n := yamlList()
		if token == '{' {
			n = yamlMap()
		}
		for d.More() {
			element, err := yamlNext(d) // of a map, keys and values in turn
			if err != nil {
				return node{}, err
			}
			n.push(element)
		}
		_, err := d.Token()
		return n, err
	}
	return yamlWord("null"), nil
}

// comment is text behind hashes. What spans say may have line ends, which would end the comment.
func comment(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, "# "+strings.Map(visible, line))
	}
	return strings.Join(lines, "\n")
}

// visible is r, or a question mark for what has no shape.
func visible(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}
