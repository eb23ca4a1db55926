package atomicfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsNoRegularFileOrTooLargeIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	require.NoError(t, os.WriteFile(in("file"), []byte("content"), 0o600))
	require.NoError(t, os.Symlink("file", in("link")))
	for _, name := range []string{"file", "link"} {
		content, err := ReadInput(in(name))
		require.NoError(t, err)
		require.Equal(t, "content", string(content))
	}
	require.NoError(t, syscall.Mkfifo(in("pipe"), 0o600))
	require.NoError(t, os.Symlink("/dev/zero", in("zero")))
	require.NoError(t, os.WriteFile(in("large"), nil, 0o600))
	require.NoError(t, os.Truncate(in("large"), mostInput+1))
	for name, want := range map[string]string{
		"pipe": "no regular file", "zero": "no regular file", "large": "larger than 16 MiB", ".": "is a directory",
		"none": "no such file",
	} {
		_, err := ReadInput(in(name))
		require.ErrorContains(t, err, want, name)
		require.ErrorAs(t, err, new(*os.PathError))
		if _, err = ReadRegular(in(name)); name == "large" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, want, name)
		}
	}
}

// Opening a named pipe for writing waits for its reader, which no signal ends.
func TestANamedPipeThatNothingReadsIsNotWritten(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	for _, write := range []func(string, []byte) error{
		Write, WritePrivate, func(path string, content []byte) error { return WriteInto(path, content, 0o600) },
	} {
		err := write(pipe, []byte("text"))
		require.ErrorContains(t, err, "it is a named pipe that nothing reads")
		require.ErrorAs(t, err, new(*os.PathError))
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	require.NoError(t, err)
	require.NoError(t, Write(pipe, []byte("text")))
	read := make([]byte, 4)
	_, err = reader.Read(read)
	require.NoError(t, err)
	require.Equal(t, "text", string(read))
	require.NoError(t, reader.Close())
}
