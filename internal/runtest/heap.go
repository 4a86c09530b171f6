package runtest

import "runtime"

// Heap returns the number of live bytes on the heap.
func Heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Little bounds the bytes that may remain of things that took a hundred times as many.
const Little = 1 << 20
