// Runs a command beside a container's main process to its end, and keeps the beginning of what it says.
import type { Child } from "./children.ts";

const longestOutput = 10_240;

export async function runInside(
  child: Child,
  signal: AbortSignal,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const kept: Buffer[] = [];
  let size = 0;
  const keep = (chunk: Buffer) => {
    if (size < longestOutput) kept.push(chunk);
    size += chunk.length;
  };
  const kill = () => child.signal("SIGKILL");
  if (signal.aborted) kill();
  signal.addEventListener("abort", kill, { once: true });
  const drained = [child.stdout, child.stderr].map(
    (stream) =>
      new Promise<void>(
        (resolve) =>
          void stream
            .on("data", keep)
            .on("close", resolve)
            .on("error", () => {}),
      ),
  );
  const { exitCode } = await child.exited;
  kill(); // what it left behind holds its pipes
  await Promise.all(drained);
  child.release();
  signal.removeEventListener("abort", kill);
  if (signal.aborted) throw new Error("the command was given up");
  return { exitCode, output: Buffer.concat(kept).toString("utf8").slice(0, longestOutput) };
}
