// One provider per state directory: a lock that the kernel lets go when its holder ends, however it ends.
import { spawnSync } from "node:child_process";
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";

export interface Lock {
  release(): void;
}

/** `flock` locks the file that it inherits, and the lock stays with this process, which has the same file open. */
export function takeLock(path: string): Lock {
  const file = openSync(path, constants.O_CREAT | constants.O_RDWR, 0o600);
  const { status, error } = spawnSync("flock", ["--nonblock", "--exclusive", "3"], {
    stdio: ["ignore", "ignore", "ignore", file],
  });
  if (status === 0) {
    ftruncateSync(file, 0);
    writeSync(file, `${process.pid}\n`, 0);
    return { release: () => closeSync(file) };
  }
  const holder = readFileSync(path, "utf8").trim();
  closeSync(file);
  if (error !== undefined)
    throw new Error(`the state directory cannot be locked: ${error.message}; install util-linux, which has flock`);
  throw new Error(`process ${holder} uses the state directory already; stop it, or choose another --state-dir`);
}
