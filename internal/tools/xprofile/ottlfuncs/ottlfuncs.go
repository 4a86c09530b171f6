// Package ottlfuncs adds no function.
package ottlfuncs

import "github.com/open-telemetry/opentelemetry-collector-contrib/pkg/ottl"

// WithProfileConverters returns the functions that it is given.
func WithProfileConverters[K any](functions map[string]ottl.Factory[K]) map[string]ottl.Factory[K] {
	return functions
}
