// Package pyliteral reads Python's way to write values, and makes JSON of it.
//
// Agents written in Python often put arguments on a span as str() or repr() shows them:
//
//	{'city': 'Oslo', 'days': 3, 'exact': None}   becomes   {"city":"Oslo","days":3,"exact":null}
//
// Others put the repr() of an object there, such as a dataclass:
//
//	ToolCall(name='search', arguments={'q': 1})   becomes   {"":"ToolCall","name":"search","arguments":{"q":1}}
//
// A dialect calls [Payload] for a literal and [Repr] for an object. Payload holds three laws:
//
//   - JSON is returned as it was written.
//   - The result is JSON that scoring can decode, or the whole text unchanged.
//   - What repr() does not write stays text, such as 0x1f. The same holds for a literal that nests deeper than 100
//     levels or that JSON cannot express, such as a tuple as a key.
//
// Numbers keep their value exactly. Sets and tuples become arrays. Bytes become text if they are UTF-8.
//
// Sources: https://docs.python.org/3/reference/lexical_analysis.html, and ast.literal_eval in Python's standard library.
package pyliteral
