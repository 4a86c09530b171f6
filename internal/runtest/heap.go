package runtest

import "runtime"

// Heap is how many bytes live on the heap.
func Heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Little is what may be left, in bytes, of things that took a hundred times as much.
const Little = 1 << 20
