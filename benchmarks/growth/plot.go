package main

import (
	"fmt"
	"image/color"
	"math"
	"os"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A drawn curve has been measured.
type drawn struct {
	curve  curve
	points []point
}

// Every plot has these many columns, each this large.
const (
	columns       = 2
	width, height = 4.5 * vg.Inch, 3 * vg.Inch
)

// colours differ in lightness too, for readers who do not see colours.
var colours = []color.Color{color.RGBA{R: 0x1b, G: 0x4f, B: 0x9c, A: 0xff}, color.RGBA{R: 0xe0, G: 0x8a, B: 0x1e, A: 0xff}}

// draws writes an SVG file with a plot of each curve.
func draws(file string, curves []drawn) (err error) {
	rows := (len(curves) + columns - 1) / columns
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, columns)
	}
	for i, d := range curves {
		if plots[i/columns][i%columns], err = d.plot(); err != nil {
			return err
		}
	}
	canvas := vgsvg.New(columns*width, vg.Length(rows)*height)
	on := draw.New(canvas)
	on.SetColor(color.White) // on a dark page as well
	on.Fill(on.Rectangle.Path())
	tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Inch / 4, PadY: vg.Inch / 4, PadTop: 8, PadBottom: 8, PadLeft: 8, PadRight: 16}
	for i, row := range plot.Align(plots, tiles, on) {
		for k, at := range row {
			if p := plots[i][k]; p != nil {
				p.Draw(at)
			}
		}
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if _, err := canvas.WriteTo(f); err != nil {
		return err
	}
	return f.Close()
}

// plot draws the times of a curve, or whatever else it measures. Bytes would need a scale of their own.
func (d drawn) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text = d.curve.title, d.curve.name
	p.Legend.Top = true
	p.Add(plotter.NewGrid())
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powers{}
	highest := 0.0
	for m, measure := range d.curve.measures[:d.curve.drawn] {
		var xys plotter.XYs
		for _, at := range d.points {
			xys = append(xys, plotter.XY{X: float64(at.x), Y: at.values[m]})
			highest = max(highest, at.values[m])
		}
		line, dots, err := plotter.NewLinePoints(xys)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", d.curve.name, measure, err)
		}
		line.Color, dots.Color, dots.Shape = colours[m], colours[m], draw.CircleGlyph{}
		p.Add(line, dots)
		p.Legend.Add(measure, line, dots)
	}
	p.Y.Min, p.Y.Max = 0, highest*1.35 // the legend stands above the lines
	return p, nil
}

// powers marks the powers of ten, and both ends where there are none between them.
type powers struct{}

// Ticks returns the marks of an axis.
func (powers) Ticks(least, most float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Ceil(math.Log10(least)); math.Pow(10, e) <= most*1.001; e++ {
		ticks = append(ticks, plot.Tick{Value: math.Pow(10, e), Label: fmt.Sprintf("%.0f", math.Pow(10, e))})
	}
	if len(ticks) < 2 {
		ticks = []plot.Tick{{Value: least, Label: fmt.Sprintf("%.0f", least)}, {Value: most, Label: fmt.Sprintf("%.0f", most)}}
	}
	return ticks
}
