# Runs a program on a terminal of some size and prints what it wrote: terminal.py COLUMNS ROWS PATTERN PROGRAM ARGS...
# When the pattern was seen (or after a minute, or TERMINAL_SECONDS) it is asked to end as by Ctrl-C. The last line is its exit code. With
# TERMINAL_CAST it also writes a recording there that asciinema plays.
import codecs, fcntl, json, os, pty, re, select, signal, struct, sys, termios, time

columns, rows, pattern = int(sys.argv[1]), int(sys.argv[2]), re.compile(sys.argv[3].encode())
pid, fd = pty.fork()
if pid == 0:
    os.environ.pop("COLUMNS", None)
    os.environ.pop("LINES", None)
    os.environ["TERM"] = "xterm-256color"
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    os.execvp(sys.argv[4], sys.argv[4:])
cast = open(os.environ["TERMINAL_CAST"], "w") if "TERMINAL_CAST" in os.environ else None
if cast:
    cast.write(json.dumps({"version": 2, "width": columns, "height": rows}) + "\n")
began = time.time()
text = codecs.getincrementaldecoder("utf-8")(errors="replace")  # a character may come in two parts
seen, asked, limit = b"", False, began + int(os.environ.get("TERMINAL_SECONDS", "60"))
while True:
    if not asked and (pattern.search(seen) or time.time() > limit):
        asked = True
        os.write(fd, b"\x03")
    if time.time() > limit + 30:
        os.kill(pid, signal.SIGKILL)
    if select.select([fd], [], [], 0.2)[0]:
        try:
            part = os.read(fd, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
        if cast:
            told = json.dumps([round(time.time() - began, 3), "o", text.decode(part)], ensure_ascii=False)
            cast.write(told + "\n")
sys.stdout.buffer.write(seen)
sys.stdout.write("\n%d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
