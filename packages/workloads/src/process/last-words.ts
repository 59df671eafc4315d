// What a container left to say about its end: in the file of its terminationMessagePath, or at the end of its log.
import { open, stat } from "node:fs/promises";
import type { LogFile } from "./log-file.ts";
import { readLog } from "./log-read.ts";
import type { Container } from "./spec.ts";

const longestMessage = 4_096;
const longestFromLog = 2_048;
const linesFromLog = 80;

export async function lastWords(path: string, container: Container, exitCode: number, log: LogFile): Promise<string> {
  const written = await endOf(path);
  const isFromLog = container.terminationMessagePolicy === "FallbackToLogsOnError" && exitCode !== 0;
  if (written !== "" || !isFromLog) return written;
  const chunks: Uint8Array[] = [];
  const options = { follow: false, timestamps: false, tailLines: linesFromLog, signal: new AbortController().signal };
  for await (const chunk of readLog(log, options)) chunks.push(chunk);
  return Buffer.concat(chunks).subarray(-longestFromLog).toString("utf8");
}

/** Only of a regular file: a pipe would be waited for. */
async function endOf(path: string): Promise<string> {
  try {
    const found = await stat(path);
    if (!found.isFile()) return "";
    const { size } = found;
    const file = await open(path, "r");
    try {
      const buffer = Buffer.alloc(Math.min(size, longestMessage));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, Math.max(0, size - longestMessage));
      return buffer.toString("utf8", 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}
