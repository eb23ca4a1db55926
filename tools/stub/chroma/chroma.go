// Package chroma replaces the highlighter of the same name when the engine is built. The engine uses it to colour what
// `pulumi env diff` prints on a terminal, and for nothing else; but it parses all its lexers and styles at each start
// of the engine, which is a tenth of the processor time that a start takes.
package chroma

// TokenType is the type of a part of a text.
type TokenType int

// The types that a style of the engine names.
const (
	Background TokenType = iota
	Comment
	CommentPreproc
	Error
	GenericDeleted
	GenericEmph
	GenericInserted
	GenericStrong
	GenericSubheading
	Keyword
	KeywordNamespace
	KeywordReserved
	KeywordType
	Literal
	LiteralDate
	LiteralNumber
	LiteralString
	LiteralStringEscape
	Name
	NameAttribute
	NameBuiltin
	NameClass
	NameConstant
	NameDecorator
	NameException
	NameFunction
	NameOther
	NameTag
	Operator
	Punctuation
	Text
)

// StyleEntries are the colours of the types.
type StyleEntries map[TokenType]string

// Style is a style without colours.
type Style struct{ Name string }

// MustNewStyle returns a style that has only its name.
func MustNewStyle(name string, _ StyleEntries) *Style { return &Style{Name: name} }
