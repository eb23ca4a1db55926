// Package glamour replaces the renderer of Markdown of the same name when the engine is built. The engine uses it for
// `pulumi neo` and for what `pulumi env get` and `pulumi env diff` print on a terminal, and for nothing else; but its
// libraries prepare their tables of entities, styles and lexers at each start of the engine.
package glamour

import (
	"github.com/charmbracelet/glamour/ansi"
	"github.com/muesli/termenv"
)

// TermRenderer leaves Markdown as it is.
type TermRenderer struct{}

// TermRendererOption has no effect.
type TermRendererOption func(*TermRenderer) error

// NewTermRenderer returns a renderer that leaves Markdown as it is.
func NewTermRenderer(...TermRendererOption) (*TermRenderer, error) { return &TermRenderer{}, nil }

// Render returns the text.
func (*TermRenderer) Render(text string) (string, error) { return text, nil }

func without(*TermRenderer) error { return nil }

// WithAutoStyle has no effect.
func WithAutoStyle() TermRendererOption { return without }

// WithStandardStyle has no effect.
func WithStandardStyle(string) TermRendererOption { return without }

// WithStyles has no effect.
func WithStyles(ansi.StyleConfig) TermRendererOption { return without }

// WithColorProfile has no effect.
func WithColorProfile(termenv.Profile) TermRendererOption { return without }

// WithWordWrap has no effect.
func WithWordWrap(int) TermRendererOption { return without }
