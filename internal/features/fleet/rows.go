package fleet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"

	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
)

// row is a stack of a table.
type row struct {
	line  int
	cells []cell
}

// cell is a value of a row, with its position in the file.
type cell struct {
	column       string
	node         *yaml.Node
	line, number int
	// text is true if the value has no type, as in a CSV file.
	text bool
}

// readRows reads a table: a CSV file, whose first line names the columns, or a YAML file with a list of mappings.
func readRows(path string) ([]row, error) {
	text, err := atomicfile.ReadInput(path)
	if err != nil {
		return nil, fmt.Errorf("reading the table: %w", err)
	}
	switch filepath.Ext(path) {
	case ".csv":
		return readCSV(path, text)
	case ".yaml", ".yml":
		return readYAML(path, text)
	}
	return nil, &fault.Fault{
		File:    path,
		Problem: "is neither a CSV nor a YAML file",
		Remedy:  "use a file that ends with .csv, .yaml or .yml",
	}
}

func readCSV(path string, text []byte) ([]row, error) {
	reader := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(text, []byte("\ufeff"))))
	reader.Comment, reader.TrimLeadingSpace = '#', true
	wrong := func(err error) error {
		f := &fault.Fault{File: path, Problem: err.Error(), Remedy: "correct the file at this position"}
		var parse *csv.ParseError
		if errors.As(err, &parse) {
			f.Line, f.Column, f.Problem = parse.Line, parse.Column, parse.Err.Error()
		}
		return f
	}
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, &fault.Fault{
			File:    path,
			Problem: "is empty",
			Remedy:  "name the columns in the first line: stack and keys of the config",
		}
	}
	if err != nil {
		return nil, wrong(err)
	}
	for i, name := range header {
		header[i] = strings.TrimSpace(name)
	}
	var rows []row
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, wrong(err)
		}
		line, _ := reader.FieldPos(0)
		r := row{line: line}
		for i, value := range record {
			if value = strings.TrimSpace(value); value == "" {
				continue
			}
			line, number := reader.FieldPos(i)
			r.cells = append(r.cells, cell{header[i], &yaml.Node{
				Kind:  yaml.ScalarNode,
				Tag:   "!!str",
				Value: value,
			}, line, number, true})
		}
		rows = append(rows, r)
	}
}

func readYAML(path string, text []byte) ([]row, error) {
	root, err := yamlfile.Parse(text)
	if err != nil {
		return nil, yamlfile.Locate(err, path, nil)
	}
	if root.Kind != yaml.SequenceNode {
		return nil, &fault.Fault{
			File:    path,
			Line:    max(1, root.Line),
			Problem: "is not a list",
			Remedy:  "use a list of mappings, one for each stack",
		}
	}
	var rows []row
	for _, item := range root.Content {
		if item.Kind != yaml.MappingNode {
			return nil, &fault.Fault{
				File:    path,
				Line:    item.Line,
				Column:  item.Column,
				Problem: "is not a mapping",
				Remedy:  "use a mapping with stack and keys of the config",
			}
		}
		r := row{line: item.Line}
		for i := 0; i+1 < len(item.Content); i += 2 {
			key, value := item.Content[i], item.Content[i+1]
			if value.Tag != "!!null" {
				r.cells = append(r.cells, cell{key.Value, value, value.Line, value.Column, false})
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

// get returns the row's cell of a column, or nil where it is empty.
func (r row) get(column string) *cell {
	for i := range r.cells {
		if r.cells[i].column == column {
			return &r.cells[i]
		}
	}
	return nil
}

// fault returns a fault of a cell.
func (c *cell) fault(path, problem, remedy string) *fault.Fault {
	f := &fault.Fault{File: path, Line: c.line, Column: c.number, Path: c.column, Problem: problem, Remedy: remedy}
	if c.node.Kind == yaml.ScalarNode {
		f.Value = c.node.Value
	}
	return f
}
