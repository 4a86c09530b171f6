package draft

import (
	"bytes"
	"encoding/json"
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
	n.push(pairs...)
	return n
}

// yamlList is an empty list.
func yamlList() node { return node{&yaml.Node{Kind: yaml.SequenceNode}} }

// push adds elements to a list, or keys and values in turn to a map: nodes, or texts, numbers and truth values.
func (n node) push(values ...any) {
	for _, v := range values {
		n.Content = append(n.Content, yamlOf(v).Node)
	}
}

// says adds a comment behind a node.
func (n node) says(comment string) node {
	n.LineComment = comment
	return n
}

// yamlOf is a node, or a text, a number, a truth value or nil as one.
func yamlOf(value any) node {
	if n, is := value.(node); is {
		return n
	}
	n := node{&yaml.Node{}}
	_ = n.Encode(value) // it has a form in YAML
	if strings.ContainsFunc(n.Value, func(r rune) bool { return visible(r) != r }) {
		n.Style = yaml.DoubleQuotedStyle
	}
	if _, is := value.(json.Number); is {
		n.Tag, n.Style = "", 0
	}
	return n
}

// yamlJSON is JSON as YAML.
func yamlJSON(text []byte) node {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return yamlNext(d)
}

func yamlNext(d *json.Decoder) node {
	token, _ := d.Token() // it is JSON
	n := yamlMap()
	switch token {
	case json.Delim('{'):
	case json.Delim('['):
		n = yamlList()
	default:
		return yamlOf(token)
	}
	for d.More() {
		n.push(yamlNext(d)) // of a map, keys and values in turn
	}
	_, _ = d.Token() // the end
	return n
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
