package suggest

import (
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A node is a part of a YAML document.
type node struct{ *yaml.Node }

func object() node { return node{&yaml.Node{Kind: yaml.MappingNode}} }

func list() node { return node{&yaml.Node{Kind: yaml.SequenceNode}} }

// text is a text that a collector takes as it is: it would read a dollar as the name of a variable.
func text(s string) node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: dollars(s)}
	if strings.ContainsFunc(s, func(r rune) bool { return visible(r) != r }) || oldWords[strings.ToLower(s)] {
		n.Style = yaml.DoubleQuotedStyle
	}
	return node{n}
}

// oldWords are texts that some readers of YAML take for truth values.
var oldWords = map[string]bool{"yes": true, "no": true, "on": true, "off": true, "y": true, "n": true}

func dollars(s string) string { return strings.ReplaceAll(s, "$", "$$") }

func number(s string) node { return node{&yaml.Node{Kind: yaml.ScalarNode, Value: s}} }

func boolean(b bool) node { return number(strconv.FormatBool(b)) }

func (n node) add(key string, value node) { n.Content = append(n.Content, text(key).Node, value.Node) }

func (n node) push(value node) { n.Content = append(n.Content, value.Node) }

// value is JSON as YAML, of which it is a part, without the form in which JSON was written.
func value(json []byte) node {
	var document yaml.Node
	if err := yaml.Unmarshal(json, &document); err != nil || len(document.Content) != 1 {
		return text(string(json))
	}
	plain(document.Content[0])
	return node{document.Content[0]}
}

func plain(n *yaml.Node) {
	n.Style = 0
	if n.Kind == yaml.ScalarNode && n.Tag == "!!str" {
		*n = *text(n.Value).Node
	}
	for _, c := range n.Content {
		plain(c)
	}
}

// comment is text behind hashes. What spans say may have line ends, which would end the comment.
func comment(s string) string {
	var lines []string
	for line := range strings.SplitSeq(s, "\n") {
		lines = append(lines, "# "+strings.Map(visible, line))
	}
	return strings.Join(lines, "\n")
}

func visible(r rune) rune {
	if strconv.IsPrint(r) {
		return r
	}
	return '?'
}
