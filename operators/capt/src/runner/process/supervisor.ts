// The process that stands between the operator and a run: it waits for the run and writes down how it ended, also when the
// operator is gone by then. Its source is handed to Node.js as text, as a bundled package has no file for it; so it uses nothing
// from outside itself.

export const supervisorSource = (): string => `(${supervise.toString()})()`;

function supervise(): void {
  const fs = process.getBuiltinModule("node:fs");
  const { spawn } = process.getBuiltinModule("node:child_process");
  process.umask(0o077);
  let told = "";
  let forward = (_signal: NodeJS.Signals): void => process.exit(1);
  for (const name of ["SIGINT", "SIGTERM"] as const) process.on(name, () => forward(name));
  process.on("SIGHUP", () => {});
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", (text: string) => {
    told += text;
  });
  process.stdin.on("error", () => process.exit(1));
  process.stdin.on("end", () => {
    // Whoever was to say what to run may be gone: half a sentence is none.
    if (!told.endsWith("\n")) process.exit(1);
    const { id, file, args, cwd, env, stdout, stderr, exit } = JSON.parse(told);
    const [out, err] = [fs.openSync(stdout, "w", 0o600), fs.openSync(stderr, "w", 0o600)];
    const record = (code: number | null, signal: string | null) => {
      const text = JSON.stringify({ id, code, signal });
      fs.writeFileSync(`${exit}.new`, text, { mode: 0o600, flush: true });
      fs.renameSync(`${exit}.new`, exit);
      process.exit(0);
    };
    const child = spawn(file, args, { cwd, env, stdio: ["ignore", out, err] });
    forward = (name) => void child.kill(name);
    child.on("error", (error) => {
      fs.writeSync(err, `Error: ${file} cannot be started: ${error.message}\n`);
      record(127, null);
    });
    child.on("exit", record);
  });
}
