// Package yamldoc writes parts of a collector configuration as YAML with comments. Texts stay what they are: what a collector would
// take for the name of a variable is escaped, and a comment cannot end early. [Escaped] serves JSON too.
package yamldoc

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A Node is a part of a YAML document.
type Node struct{ *yaml.Node }

// Object is a map without keys.
func Object() Node { return Node{&yaml.Node{Kind: yaml.MappingNode}} }

// List is a list without elements.
func List() Node { return Node{&yaml.Node{Kind: yaml.SequenceNode}} }

// Text is a text that a collector takes as it is: it would read a dollar as the name of a variable.
func Text(s string) Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: dollars(s)}
	if strings.ContainsFunc(s, func(r rune) bool { return Visible(r) != r }) || oldWords[strings.ToLower(s)] {
		n.Style = yaml.DoubleQuotedStyle
	}
	return Node{n}
}

// oldWords are texts that some readers of YAML take for truth values.
var oldWords = map[string]bool{"yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

func dollars(s string) string { return strings.ReplaceAll(s, "$", "$$") }

// Number is a number as it is written.
func Number(s string) Node { return Node{&yaml.Node{Kind: yaml.ScalarNode, Value: s}} }

// Bool is true or false.
func Bool(b bool) Node { return Number(strconv.FormatBool(b)) }

// Add adds a key to a map.
func (n Node) Add(key string, value Node) { n.Content = append(n.Content, Text(key).Node, value.Node) }

// Push adds an element to a list.
func (n Node) Push(value Node) { n.Content = append(n.Content, value.Node) }

// JSON formats JSON as YAML, without the layout of the JSON.
func JSON(json []byte) Node {
	var document yaml.Node
	const most = 0xffff // YAML refuses control characters, and has no pairs of escapes for one character
	if err := yaml.Unmarshal(escaped(json, most), &document); err != nil || len(document.Content) != 1 {
		return Text(string(json))
	}
	plain(document.Content[0])
	return Node{document.Content[0]}
}

func plain(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		*n = *Text(n.Value).Node
	}
	for _, c := range n.Content {
		plain(c)
	}
}

// Comment is text behind hashes. What spans say may have line ends, which would end the comment.
func Comment(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, "# "+strings.Map(Visible, line))
	}
	return strings.Join(lines, "\n")
}

// Visible is r, or a question mark for what has no shape.
func Visible(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}
