module github.com/charmbracelet/glamour

go 1.26

require github.com/muesli/termenv v0.16.0
