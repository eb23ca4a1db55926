// Package chromium drives a browser for tests: it opens pages of this machine, presses keys and runs scripts. It speaks
// the DevTools protocol through a pipe, so that nothing listens on a port.
package chromium

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Find returns the path of Debian's or Google's browser, or "" if there is none.
func Find() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// Flags returns the flags of a browser that runs without a window, with a profile of its own in dir, and makes no
// requests by itself.
func Flags(dir string) []string {
	return []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update",
		"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--user-data-dir=" + filepath.Join(dir, "profile"),
	}
}

// Window is the size of a page in pixels, and its colours.
type Window struct {
	Width, Height int
	Dark          bool
}

// Page is an open page.
type Page struct {
	command  *exec.Cmd
	requests *os.File
	messages chan message
	session  string
	last     int
}

// message is an answer or an event of the DevTools protocol.
type message struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// timeout is the longest time that the browser takes for an answer.
const timeout = time.Minute

// Open starts a browser in dir with an HTML file. Close ends it.
func Open(program, dir, file string, window Window) (*Page, error) {
	readRequests, requests, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	answers, writeAnswers, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p := &Page{
		command:  exec.Command(program, append(Flags(dir), "--remote-debugging-pipe")...),
		requests: requests,
		messages: make(chan message, 100),
	}
	p.command.Env = append(os.Environ(), "HOME="+dir)
	p.command.ExtraFiles = []*os.File{readRequests, writeAnswers}
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	_, _ = readRequests.Close(), writeAnswers.Close()
	go p.read(answers)
	if err := p.open(file, window); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// read passes on the browser's messages, each of which ends with a zero byte.
func (p *Page) read(answers *os.File) {
	defer close(p.messages)
	defer func() { _ = answers.Close() }()
	reader := bufio.NewReader(answers)
	for {
		text, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) == nil {
			p.messages <- m
		}
	}
}

func (p *Page) open(file string, window Window) error {
	var target struct{ TargetID, SessionID string }
	if err := p.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target); err != nil {
		return err
	}
	if err := p.call("Target.attachToTarget", map[string]any{
		"targetId": target.TargetID,
		"flatten":  true,
	}, &target); err != nil {
		return err
	}
	p.session = target.SessionID
	if err := p.Resize(window); err != nil {
		return err
	}
	if err := p.call("Page.enable", nil, nil); err != nil {
		return err
	}
	if err := p.call("Page.navigate", map[string]any{"url": "file://" + file}, nil); err != nil {
		return err
	}
	if err := p.wait("Page.loadEventFired"); err != nil {
		return err
	}
	return p.call("Page.bringToFront", nil, nil)
}

// Resize changes the page's size and colours.
func (p *Page) Resize(window Window) error {
	if err := p.call("Emulation.setDeviceMetricsOverride", map[string]any{
		"width": window.Width, "height": window.Height, "deviceScaleFactor": 1, "mobile": false,
	}, nil); err != nil {
		return err
	}
	scheme := "light"
	if window.Dark {
		scheme = "dark"
	}
	if err := p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{
		{"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"},
	}}, nil); err != nil {
		return err
	}
	return p.Run(`new Promise(done => requestAnimationFrame(() => setTimeout(done)))`, nil)
}

// call sends a request and decodes its answer.
func (p *Page) call(method string, params, result any) error {
	p.last++
	request := map[string]any{"id": p.last, "method": method}
	if params != nil {
		request["params"] = params
	}
	if p.session != "" {
		request["sessionId"] = p.session
	}
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := p.requests.Write(append(text, 0)); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	answer, err := p.next(func(m message) bool { return m.ID == p.last })
	switch {
	case err != nil:
		return fmt.Errorf("%s: %w", method, err)
	case answer.Error != nil:
		return fmt.Errorf("%s: %s", method, answer.Error.Message)
	case result == nil:
		return nil
	}
	return json.Unmarshal(answer.Result, result)
}

func (p *Page) wait(event string) error {
	if _, err := p.next(func(m message) bool { return m.Method == event }); err != nil {
		return fmt.Errorf("%s: %w", event, err)
	}
	return nil
}

// next returns the next message that is wanted, and drops those before it.
func (p *Page) next(wanted func(message) bool) (message, error) {
	after := time.After(timeout)
	for {
		select {
		case m, open := <-p.messages:
			if !open {
				return m, errors.New("the browser has ended")
			}
			if wanted(m) {
				return m, nil
			}
		case <-after:
			return message{}, fmt.Errorf("the browser did not answer within %s", timeout)
		}
	}
}

// Run evaluates a script in the page and decodes its value, which may be a promise. A nil result is not decoded.
func (p *Page) Run(script string, result any) error {
	var answer struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	if err := p.call("Runtime.evaluate", map[string]any{
		"expression":    script,
		"awaitPromise":  true,
		"returnByValue": true,
	}, &answer); err != nil {
		return err
	}
	if answer.ExceptionDetails != nil {
		return fmt.Errorf("%s %s", answer.ExceptionDetails.Text, answer.ExceptionDetails.Exception.Description)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Result.Value, result)
}

// keys are the keys that Press knows, with their codes and the text that they enter.
var keys = map[string]struct {
	code int
	text string
}{
	"Tab": {9, ""}, "Enter": {13, "\r"}, "Escape": {27, ""}, " ": {32, " "}, "ArrowLeft": {37, ""}, "ArrowUp": {38, ""},
	"ArrowRight": {39, ""}, "ArrowDown": {40, ""},
}

// Press presses and releases keys one after the other, as a keyboard does: Tab, Enter, Escape, a space or an arrow key;
// "Shift+Tab" goes back.
func (p *Page) Press(names ...string) error {
	for _, name := range names {
		modifiers := 0
		if name == "Shift+Tab" {
			name, modifiers = "Tab", 8
		}
		key, known := keys[name]
		if !known {
			return fmt.Errorf("key %q is not one of those that Press knows", name)
		}
		for _, kind := range []string{"keyDown", "keyUp"} {
			event := map[string]any{
				"type":                  kind,
				"key":                   name,
				"code":                  name,
				"windowsVirtualKeyCode": key.code,
				"modifiers":             modifiers,
			}
			if name == " " {
				event["code"] = "Space"
			}
			if kind == "keyDown" && key.text != "" {
				event["text"] = key.text
			}
			if err := p.call("Input.dispatchKeyEvent", event, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// Type enters a text where the focus is.
func (p *Page) Type(text string) error {
	return p.call("Input.insertText", map[string]any{"text": text}, nil)
}

// Close ends the browser.
func (p *Page) Close() error {
	p.session = ""
	_ = p.call("Browser.close", nil, nil)
	ended := make(chan error, 1)
	go func() { ended <- p.command.Wait() }()
	select {
	case err := <-ended:
		_ = p.requests.Close()
		return err
	case <-time.After(10 * time.Second):
		return errors.Join(p.command.Process.Kill(), <-ended, p.requests.Close())
	}
}
