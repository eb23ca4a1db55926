package state

import "bytes"

// jsonValue is JSON text that begins with a value. It is walked over rather than decoded, which takes a tenth of the time. nil is no value.
type jsonValue []byte

// trimmed is the text from the first byte that is not blank on.
func (v jsonValue) trimmed() jsonValue {
	for i, c := range v {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return v[i:]
		}
	}
	return nil
}

// size is how many bytes the value has that the text begins with, 0 for one that has no end.
func (v jsonValue) size() int {
	if len(v) == 0 {
		return 0
	}
	depth := 0
	for i := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			end := v[i:].text()
			if end == 0 {
				return 0
			}
			i += end - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of what the value is in
			}
			depth--
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return 0
}

// text is how many bytes a string has, its quotes included; 0 for one without an end.
func (v jsonValue) text() int {
	for at := 1; at < len(v); {
		quote := bytes.IndexByte(v[at:], '"')
		if quote < 0 {
			return 0
		}
		at += quote
		escapes := 0
		for v[at-1-escapes] == '\\' {
			escapes++
		}
		at++
		if escapes%2 == 0 {
			return at
		}
	}
	return 0
}

// field is the value of a field of an object, nil without it.
func (v jsonValue) field(name string) jsonValue {
	at := v.trimmed()
	if len(at) == 0 || at[0] != '{' {
		return nil
	}
	for at = at[1:].trimmed(); len(at) > 0 && at[0] == '"'; at = at[1:].trimmed() {
		end := at.text()
		if end == 0 {
			return nil
		}
		key := at[1 : end-1]
		if at = at[end:].trimmed(); len(at) == 0 || at[0] != ':' {
			return nil
		}
		at = at[1:].trimmed()
		if string(key) == name {
			return at
		}
		size := at.size()
		if at = at[size:].trimmed(); size == 0 || len(at) == 0 || at[0] != ',' {
			return nil
		}
	}
	return nil
}

// token is the value as it is written, "" for none.
func (v jsonValue) token() string {
	if len(v) == 0 || v[0] == '{' || v[0] == '[' {
		return ""
	}
	return string(v[:v.size()])
}

// elements is how many elements an array has. It reports false for what is no whole array.
func (v jsonValue) elements() (int, bool) {
	at := v.trimmed()
	if len(at) == 0 || at[0] != '[' {
		return 0, false
	}
	at = at[1:].trimmed()
	if len(at) > 0 && at[0] == ']' {
		return 0, true
	}
	for n := 1; len(at) > 0; n++ {
		size := at.size()
		if at = at[size:].trimmed(); size == 0 || len(at) == 0 {
			break
		}
		switch at[0] {
		case ']':
			return n, true
		case ',':
			at = at[1:].trimmed()
		default:
			return 0, false
		}
	}
	return 0, false
}
