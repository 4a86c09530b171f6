package draft

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/toolcorrectness/toolcorrectnessprocessor/internal/report"
)

// writeConfig writes a collector configuration with this section of the processor, below a comment. Texts stay what they are:
// what a collector would take for the name of a variable is escaped, and a comment cannot end early. Characters that are invisible
// or rearrange others are escaped, and load as they were.
func writeConfig(w io.Writer, section node, head string) error {
	whole := yamlMap("processors", yamlMap("tool_correctness", section))
	whole.HeadComment = comment(head)
	literally(whole.Node)
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
	_, err := w.Write(report.EscapeJSON(b.Bytes())) // hidden characters are only in texts in double quotes
	return err
}

// A node is a part of a YAML document.
type node struct{ *yaml.Node }

// literally has a collector take texts as they are: it would read a dollar as the beginning of a variable's name.
func literally(n *yaml.Node) {
	n.Value = strings.ReplaceAll(n.Value, "$", "$$")
	for _, c := range n.Content {
		literally(c)
	}
}

// yamlMap is a map of keys and values in turn.
func yamlMap(pairs ...any) node {
	n := node{&yaml.Node{Kind: yaml.MappingNode}}
	for _, p := range pairs {
		n.push(p)
	}
	return n
}

// yamlList is a list.
func yamlList(elements ...any) node {
	n := yamlMap(elements...)
	n.Kind = yaml.SequenceNode
	return n
}

// add adds a key to a map.
func (n node) add(key string, value any) {
	n.push(key)
	n.push(value)
}

// push adds an element to a list: a node, a text, or a number or truth value.
func (n node) push(value any) {
	switch v := value.(type) {
	case node:
		n.Content = append(n.Content, v.Node)
	case string:
		n.push(yamlText(v))
	default:
		n.push(yamlWord(fmt.Sprint(v)))
	}
}

// says adds a comment behind a node.
func (n node) says(comment string) node {
	n.LineComment = comment
	return n
}

func yamlText(s string) node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s}
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
func yamlJSON(text []byte) node {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return yamlNext(d)
}

func yamlNext(d *json.Decoder) node {
	token, _ := d.Token() // it is JSON
	switch token := token.(type) {
	case string:
		return yamlText(token)
	case json.Number, bool:
		return yamlWord(fmt.Sprint(token))
	case json.Delim:
		n := yamlList()
		if token == '{' {
			n = yamlMap()
		}
		for d.More() {
			n.push(yamlNext(d)) // of a map, keys and values in turn
		}
		_, _ = d.Token() // the end
		return n
	}
	return yamlWord("null")
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
