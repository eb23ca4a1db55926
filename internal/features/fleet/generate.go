package fleet

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"go.yaml.in/yaml/v3"

	"github.com/hypershift-aws/hypershift-aws/api/event"
	"github.com/hypershift-aws/hypershift-aws/api/fault"
	"github.com/hypershift-aws/hypershift-aws/api/fleetrun"
	"github.com/hypershift-aws/hypershift-aws/internal/engine/project"
	"github.com/hypershift-aws/hypershift-aws/internal/plan"
	"github.com/hypershift-aws/hypershift-aws/internal/value/atomicfile"
	"github.com/hypershift-aws/hypershift-aws/internal/value/yamlfile"
	"github.com/hypershift-aws/hypershift-aws/stacks"
)

// Generated is a stack's file generated from a row of a table.
type Generated struct {
	fleetrun.Member
	// Text is the file's content, and Before the content of the existing file, nil if there is none.
	Text, Before []byte
	// Changes are the values that Text changes in an existing file.
	Changes []event.Value
	// line is the line of the row.
	line int
}

// Same reports whether the file exists with the same values: it is not written then, and keeps its comments.
func (g Generated) Same() bool { return g.Before != nil && len(g.Changes) == 0 }

// Generate returns the stack files for the rows of a table, from a template, "" for the built-in one. It writes
// nothing. It fails with the faults of all rows, each with its position in the table.
func Generate(p *project.Project, table, templatePath string) ([]Generated, error) {
	template, err := readTemplate(templatePath)
	if err != nil {
		return nil, err
	}
	rows, err := readRows(table)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, &fault.Fault{File: table, Problem: "has no rows", Remedy: "use one for each stack"}
	}
	named := placeholders(template)
	var faults fault.Faults
	var made []Generated
	lines := map[string]int{}
	for _, r := range rows {
		g, wrong := generate(p, template, named, r, table, templatePath)
		if stack := r.get("stack"); stack != nil {
			if first, twice := lines[g.Stack]; twice {
				wrong = append(wrong, stack.fault(table, fmt.Sprintf("is also the stack of line %d", first),
					"use a different stack in each row"))
			} else {
				lines[g.Stack] = r.line
			}
		}
		faults = append(faults, wrong...)
		made = append(made, g)
	}
	return made, faults.Err()
}

func readTemplate(path string) (*yaml.Node, error) {
	text := []byte(builtinTemplate)
	if path != "" {
		var err error
		if text, err = atomicfile.ReadInput(path); err != nil {
			return nil, fmt.Errorf("reading the template: %w", err)
		}
	}
	root, err := yamlfile.Parse(text)
	if err != nil {
		return nil, yamlfile.Locate(err, path, nil)
	}
	if root.Kind != yaml.MappingNode || child(root, "config").Kind != yaml.MappingNode {
		return nil, &fault.Fault{
			File:    path,
			Path:    "config",
			Problem: "is missing",
			Remedy:  "set a stack's file with ${column} in place of values",
		}
	}
	return root, nil
}

func generate(
	p *project.Project,
	template *yaml.Node,
	named map[string]*yaml.Node,
	r row,
	table, templatePath string,
) (Generated, fault.Faults) {
	g := Generated{line: r.line}
	stack := r.get("stack")
	if stack == nil {
		return g, fault.Faults{{
			File:    table,
			Line:    r.line,
			Path:    "stack",
			Problem: "is missing or empty",
			Remedy:  "set the stack's name",
		}}
	}
	name := stack.node.Value
	if _, err := tokens.ParseStackName(name); err != nil || strings.Contains(name, "/") {
		return g, fault.Faults{stack.fault(table, "cannot be a stack's name",
			"use letters, digits, hyphens, underscores, and dots")}
	}
	g.Member = fleetrun.Member{ID: name, Dir: p.Dir, Project: p.Name(), Stack: name, Path: p.StackFile(name)}
	f, faults := fill(template, named, r, table, templatePath)
	if faults != nil {
		return g, faults
	}
	before, err := atomicfile.ReadInput(g.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return g, fault.Faults{stack.fault(table, err.Error(), "")}
	}
	if err == nil {
		g.Before = before
	}
	f.addInfraID(before, g.Before != nil)
	f.keep(before)
	var text bytes.Buffer
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := errors.Join(encoder.Encode(f.root), encoder.Close()); err != nil {
		return g, fault.Faults{{File: table, Line: r.line, Problem: "cannot be written as YAML: " + err.Error()}}
	}
	g.Text = text.Bytes()
	file, err := stacks.Kinds().ParseFile(g.Path, name, g.Text)
	if err != nil {
		return g, f.placed(fault.In(err), r, table, templatePath)
	}
	describe(&g.Member, file)
	if g.Before != nil {
		was, err := values(before)
		if err != nil {
			return g, fault.Faults{stack.fault(table, fmt.Sprintf("has a file that cannot be read: %s: %s", g.Path, err),
				"correct the file")}
		}
		is, err := values(g.Text)
		if err != nil {
			return g, fault.Faults{stack.fault(table, err.Error(), "")}
		}
		g.Changes = plan.Between(was, is)
	}
	return g, nil
}

// values returns the values of a stack's file by key. Keys of the config are without the config's name.
func values(text []byte) (map[string]any, error) {
	all := map[string]any{}
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	section, _ := all["config"].(map[string]any)
	delete(all, "config")
	maps.Copy(all, section)
	return all, nil
}

// placed maps the faults of a generated file to the table: the cell that the value came from, otherwise the row.
func (f *filled) placed(faults fault.Faults, r row, table, templatePath string) fault.Faults {
	var list fault.Faults
	for _, found := range faults {
		at := *found
		at.File, at.Line = table, r.line
		longest := ""
		for path, c := range f.from {
			if within(found.Path, path) && len(path) > len(longest) {
				longest = path
				at.Line, at.Column, at.Path = c.line, c.number, c.column
				if rest := strings.TrimPrefix(found.Path, path); rest != "" {
					at.Path += " (" + found.Path + ")"
				}
			}
		}
		if longest == "" && templatePath != "" {
			at.Problem += fmt.Sprintf(" (in a file generated from %s)", templatePath)
		}
		list = append(list, &at)
	}
	return list
}

// within reports whether one path of the config contains the other.
func within(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+".") || strings.HasPrefix(path, parent+"[")
}

// Write writes the files that do not exist, or have other values. It returns how many it wrote.
func Write(files []Generated) (int, error) {
	written := 0
	for _, g := range files {
		if g.Same() {
			continue
		}
		write := atomicfile.Create
		if g.Before != nil {
			write = atomicfile.Write
		}
		if err := write(g.Path, g.Text); err != nil {
			return written, fmt.Errorf("files written before this one: %d: %w", written, err)
		}
		written++
	}
	return written, nil
}
