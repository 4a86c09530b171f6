package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"time"
)

// A Slot is the number of a record. 0 means that there is no record.
type Slot = uint64

// A Record is one record in the storage. Before its body it has
//
//	byte 0     the version of all that follows, [Version]
//	bytes 1-4  a checksum of the rest, CRC-32C, little endian
//	bytes 5-12 the time of the record, in nanoseconds since 1970, little endian
type Record struct {
	Slot Slot
	At   time.Time
	Body []byte
}

// Version is the version of the stored bytes. A journal reads records of its own version only.
const Version = 5

const recordHeader = 13

// These errors say how the bytes of a record are wrong.
var (
	ErrVersion = errors.New("the record is of another version of this processor")
	ErrCorrupt = errors.New("the record is not as it was written")
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encodeRecord returns the bytes of a record.
func encodeRecord(at time.Time, body []byte) []byte {
	b := make([]byte, recordHeader, recordHeader+len(body))
	b[0] = Version
	binary.LittleEndian.PutUint64(b[5:], uint64(at.UnixNano()))
	b = append(b, body...)
	binary.LittleEndian.PutUint32(b[1:], crc32.Checksum(b[5:], castagnoli))
	return b
}

// decodeRecord reads the bytes of a record, without its slot. The error is [ErrVersion] or [ErrCorrupt].
func decodeRecord(b []byte) (Record, error) {
	switch {
	case len(b) == 0:
		return Record{}, ErrCorrupt
	case b[0] != Version:
		return Record{}, fmt.Errorf("%w: its version is %d, and this one reads %d", ErrVersion, b[0], Version)
	case len(b) < recordHeader, binary.LittleEndian.Uint32(b[1:]) != crc32.Checksum(b[5:], castagnoli):
		return Record{}, ErrCorrupt
	}
	return Record{At: time.Unix(0, int64(binary.LittleEndian.Uint64(b[5:]))), Body: b[recordHeader:]}, nil
}

// KeyOfSlot is the storage key of the record in a slot.
func KeyOfSlot(slot Slot) string { return strconv.FormatUint(slot, 36) }

// SlotsKeys are two storage keys for the bounds of the slots that may have records, so that a damaged copy costs nothing.
var SlotsKeys = [...]string{"slots", "slots-copy"}

// encodeBounds returns the bytes of the bounds: the first slot and the one behind the last, the slots outside that have records too, and a
// checksum. They have no version, because any version must find the records of any other.
func encodeBounds(first, end Slot, others []Slot) []byte {
	b, _ := binary.Append(nil, binary.LittleEndian, append([]Slot{first, end}, others...)) // numbers have a form
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

func decodeBounds(b []byte) (first, end Slot, others []Slot, ok bool) {
	n := len(b) - 4
	if n < 16 || n%8 != 0 || binary.LittleEndian.Uint32(b[n:]) != crc32.Checksum(b[:n], castagnoli) {
		return 0, 0, nil, false
	}
	slots := make([]Slot, n/8)
	_, _ = binary.Decode(b, binary.LittleEndian, slots) // it is long enough
	return slots[0], slots[1], slots[2:], true
}
