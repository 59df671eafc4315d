// What is kept on disk of a container and of a pod's addresses, so that a new server knows them. Written in one step.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Synchronous, so that nothing happens between a process and its being written down. */
export function writeRecord(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.next`, JSON.stringify(value));
  renameSync(`${path}.next`, path);
}

/** Undefined: there is none, or none that can be read. */
export function readRecord<T>(path: string, is: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return is(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
