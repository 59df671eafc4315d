// Applies a JSON Patch as kube-apiserver does, a `test` for null on a missing member included. For tests.
import type { PatchOperation } from "../src/patch.ts";

/** The patched copy, or the path of the first `test` that failed. */
export function applyPatch<T>(object: T, patch: readonly PatchOperation[]): { ok: T } | { failed: string } {
  const root = { doc: structuredClone(object) as unknown };
  for (const operation of patch) {
    const names = [
      "doc",
      ...operation.path
        .split("/")
        .slice(1)
        .map((n) => n.replaceAll("~1", "/").replaceAll("~0", "~")),
    ];
    const last = names.pop() ?? "";
    let at: unknown = root;
    for (const name of names) at = (at as Record<string, unknown> | undefined)?.[name];
    if (typeof at !== "object" || at === null) return { failed: operation.path };
    const parent = at as Record<string, unknown>;
    if (operation.op === "test") {
      if (
        canonical((Object.hasOwn(parent, last) ? parent[last] : undefined) ?? null) !==
        canonical(operation.value ?? null)
      )
        return { failed: operation.path };
    } else if (operation.op === "remove") {
      if (!Object.hasOwn(parent, last)) return { failed: operation.path };
      if (Array.isArray(parent)) parent.splice(Number(last), 1);
      else delete parent[last];
    } else if (operation.op === "add" && Array.isArray(parent)) {
      if (Number(last) > parent.length) return { failed: operation.path };
      parent.splice(Number(last), 0, structuredClone(operation.value));
    } else {
      if (operation.op === "replace" && !Object.hasOwn(parent, last)) return { failed: operation.path };
      const value = structuredClone(operation.value);
      Object.defineProperty(parent, last, { value, enumerable: true, writable: true, configurable: true });
    }
  }
  return { ok: root.doc as T };
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, v) =>
    typeof v === "object" && v !== null && !Array.isArray(v)
      ? Object.fromEntries(Object.entries(v).sort(([a], [b]) => (a < b ? -1 : 1)))
      : v,
  );
}
