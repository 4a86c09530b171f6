package attributes

import (
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/xpdata"
)

// A Writer adds attributes to those of a span. Unlike the methods of [pcommon.Map] it does not look whether a key is there
// already, which takes longer with each attribute. So the caller must know that each key is new. The zero value is ready to use.
type Writer struct{ all xpdata.MapBuilder }

// Take takes the attributes of a span over, with room for more. The span has none until [Writer.GiveTo].
func (w *Writer) Take(m pcommon.Map, more int) {
	w.all.EnsureCapacity(m.Len() + more)
	for key, v := range m.All() {
		v.MoveTo(w.all.AppendEmpty(key))
	}
}

// GiveTo gives all attributes to the span. The Writer is empty then.
func (w *Writer) GiveTo(m pcommon.Map) { w.all.UnsafeIntoMap(m) }

// PutStr adds a string.
func (w *Writer) PutStr(key, s string) { w.all.AppendEmpty(key).SetStr(s) }

// PutBool adds a boolean.
func (w *Writer) PutBool(key string, b bool) { w.all.AppendEmpty(key).SetBool(b) }

// PutDouble adds a number.
func (w *Writer) PutDouble(key string, f float64) { w.all.AppendEmpty(key).SetDouble(f) }

// PutEmptySlice adds an empty list, which is valid until the next attribute is added.
func (w *Writer) PutEmptySlice(key string) pcommon.Slice {
	return w.all.AppendEmpty(key).SetEmptySlice()
}
