package runtest

import (
	"strconv"
	"strings"
)

// Object is the text of a JSON object with n members, in the order of their numbers or in the opposite order.
func Object(n int, down bool) string {
	members := make([]string, n)
	for i := range members {
		at := i
		if down {
			at = n - 1 - i
		}
		members[at] = `"` + strconv.Itoa(i) + `":1`
	}
	return "{" + strings.Join(members, ",") + "}"
}
