package pairing

import "github.com/toolcorrectness/toolcorrectnessprocessor/scoring/internal/ordered"

// A Row is a place for a column, or for any number of columns.
type Row struct {
	Class int32
	Need  ordered.Need
}

// A Class is rows with the same credits for every column.
type Class struct {
	// Rows are the rows of the class: the required ones, then the others, each in order.
	Rows []int32
	// Needs is how many columns all rows of the class take.
	Needs Needs
}

// Needs bounds a number of columns. If Endless is true, Most does not count.
type Needs struct {
	Least, Most int
	Endless     bool
}

// Capacity returns how many of some columns a class has rows for.
func (c *Class) Capacity(columns int) int {
	if c.Needs.Endless {
		return max(c.Needs.Least, columns)
	}
	return c.Needs.Most
}

// A Shape is rows and their classes. Add classes and rows, then call [Shape.Index].
type Shape struct {
	Rows    []Row
	Classes []Class
	// Required is how many rows are required.
	Required int
}

// AddClass adds a class without rows and returns its number.
func (s *Shape) AddClass() int32 {
	s.Classes = append(s.Classes, Class{})
	return int32(len(s.Classes) - 1)
}

// AddRows appends rows of a class: the required ones, the optional ones, and an endless one.
func (s *Shape) AddRows(class int32, n Needs) {
	needs := &s.Classes[class].Needs
	needs.Least += n.Least
	needs.Most += n.Most
	needs.Endless = needs.Endless || n.Endless
	for i := range n.Most {
		need := ordered.Required
		if i >= n.Least {
			need = ordered.Optional
		}
		s.Rows = append(s.Rows, Row{class, need})
	}
	s.Required += min(n.Least, n.Most)
	if n.Endless {
		s.Rows = append(s.Rows, Row{class, ordered.Endless})
	}
}

// Index fills Rows of each class.
func (s *Shape) Index() {
	for _, want := range []ordered.Need{ordered.Required, ordered.Optional, ordered.Endless} {
		for i, r := range s.Rows {
			if r.Need == want {
				s.Classes[r.Class].Rows = append(s.Classes[r.Class].Rows, int32(i))
			}
		}
	}
}
