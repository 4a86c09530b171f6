package conditiontest

import (
	"math/rand/v2"
	"strconv"

	"go.opentelemetry.io/collector/pdata/pcommon"
)

var (
	paths  = []string{`attributes["a"]`, `attributes["b"]`, `span.attributes["a"]`, `resource.attributes["a"]`, `scope.attributes["a"]`, `name`, `scope.name`}
	others = []string{`true`, `false`, `IsMatch(name, "x")`, `Int(ParseJSON(attributes["b"])["x"]) == 1`, `attributes["a"]["b"] == "x"`,
		`attributes["a"] == nil`, `attributes["b"] > 5`, `attributes["a"] == attributes["b"]`, `Len(attributes["a"]) == 1`, `ParseInt(name, 10) == 1`,
		`attributes[name] == "x"`, `attributes["a"] == 0x78`, `(1 + 2) * 3 == attributes["a"]`, `{"a": "x"} == attributes["a"]`, `kind == SPAN_KIND_SERVER`}

	// Values are those that random conditions compare with.
	Values = []string{"x", "", "y", " or ", "\uFFFD"}
)

// Condition is a random condition of at most depth nested operators.
func Condition(random *rand.Rand, depth int) string {
	if depth == 0 || random.IntN(4) == 0 {
		path, value := paths[random.IntN(len(paths))], strconv.Quote(Values[random.IntN(len(Values))])
		switch random.IntN(6) {
		case 0:
			return others[random.IntN(len(others))]
		case 1:
			return path + " != " + value
		case 2:
			return value + "==" + path
		default:
			return path + " == " + value
		}
	}
	left, right := Condition(random, depth-1), Condition(random, depth-1)
	switch random.IntN(9) {
	case 0:
		return "not (" + left + ")"
	case 1:
		return "(" + left + ")"
	case 2, 3:
		return left + " or " + right
	default:
		return left + " and " + right
	}
}

// Attribute puts the value under a key, or one of another type, or none. It reports whether it put the string. The function
// roll returns a random number from 0 up to, but not including, its argument.
func Attribute(roll func(int) int, m pcommon.Map, key, value string) bool {
	switch roll(14) {
	case 0:
		m.Remove(key)
	case 1:
		m.PutEmpty(key)
	case 2:
		m.PutInt(key, 7)
	case 3:
		m.PutDouble(key, 7)
	case 4:
		m.PutBool(key, true)
	case 5:
		m.PutEmptyBytes(key).FromRaw([]byte(value))
	case 6:
		m.PutEmptySlice(key).AppendEmpty().SetStr(value)
	case 7:
		m.PutEmptyMap(key).PutStr("b", value)
	default:
		m.PutStr(key, value)
		return true
	}
	return false
}
