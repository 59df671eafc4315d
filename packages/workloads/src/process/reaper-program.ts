// A process of its own, beside the server: listens until its input ends, which it does when the server is gone, and ends all
// process groups that it was told of. Its argument is the variable that the server's processes have. It uses nothing of ours.
import { readdirSync, readFileSync } from "node:fs";

const [mark = ""] = process.argv.slice(2);
const groups = new Set<number>();
let unread = "";
for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) process.on(name, () => {});
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  const lines = (unread + text).split("\n");
  unread = lines.pop() ?? "";
  for (const line of lines) {
    const group = Number(line.slice(1));
    if (line === "stop") process.exit(0);
    else if (line.startsWith("+")) groups.add(group);
    else if (line.startsWith("-")) groups.delete(group);
  }
});
process.stdin.on("end", endAll);
process.stdin.on("error", endAll);

/** Looks until nothing was found for a while: the server may have been about to start one more. */
function endAll(): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let quiet = 0, looks = 0; quiet < 4 && looks < 400; looks += 1) {
    quiet = endSome() ? 0 : quiet + 1;
    Atomics.wait(pause, 0, 0, 25);
  }
  process.exit(0);
}

function endSome(): boolean {
  let found = false;
  for (const group of groups) {
    if (kill(-group)) found = true;
    else groups.delete(group);
  }
  for (const name of list("/proc")) {
    const pid = Number(name);
    if (!(pid > 1) || pid === process.pid) continue;
    if (`\0${read(`/proc/${name}/environ`)}`.includes(`\0${mark}\0`) && kill(pid)) found = true;
  }
  return found;
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
