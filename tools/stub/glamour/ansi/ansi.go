// Package ansi has the fields of styles that the engine names.
package ansi

// StyleConfig is the style of a document.
type StyleConfig struct {
	Document, BlockQuote, Paragraph, Heading, H1, H2, H3, H4, H5, H6                                       StyleBlock
	Code, DefinitionList, HTMLBlock, HTMLSpan                                                              StyleBlock
	Text, Strikethrough, Emph, Strong, HorizontalRule, Item, Enumeration, Link, LinkText, Image, ImageText StylePrimitive
	DefinitionTerm, DefinitionDescription                                                                  StylePrimitive
	List                                                                                                   StyleList
	Task                                                                                                   StyleTask
	CodeBlock                                                                                              StyleCodeBlock
	Table                                                                                                  StyleTable
}

// StylePrimitive is the style of a text.
type StylePrimitive struct {
	BlockPrefix, BlockSuffix, Prefix, Suffix, Format string
	Color, BackgroundColor                           *string
	Underline, Bold, Italic, CrossedOut              *bool
	Upper, Lower, Overlined, Inverse, Blink          *bool
}

// StyleBlock is the style of a block.
type StyleBlock struct {
	StylePrimitive
	Indent, Margin *uint
	IndentToken    *string
}

// StyleCodeBlock is the style of code.
type StyleCodeBlock struct {
	StyleBlock
	Theme  string
	Chroma *Chroma
}

// StyleList is the style of a list.
type StyleList struct {
	StyleBlock
	LevelIndent uint
}

// StyleTable is the style of a table.
type StyleTable struct {
	StyleBlock
	CenterSeparator, ColumnSeparator, RowSeparator *string
}

// StyleTask is the style of a task.
type StyleTask struct {
	StylePrimitive
	Ticked, Unticked string
}

// Chroma is the style of highlighted code.
type Chroma struct {
	Text, Error, Comment, CommentPreproc, Keyword, KeywordReserved, KeywordNamespace, KeywordType, Operator, Punctuation StylePrimitive
	Name, NameBuiltin, NameTag, NameAttribute, NameClass, NameConstant, NameDecorator, NameException, NameFunction       StylePrimitive
	NameOther, Literal, LiteralNumber, LiteralDate, LiteralString, LiteralStringEscape                                   StylePrimitive
	GenericDeleted, GenericEmph, GenericInserted, GenericStrong, GenericSubheading, Background                           StylePrimitive
}
