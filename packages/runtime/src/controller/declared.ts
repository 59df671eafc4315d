// Kinds with a declared vocabulary, and those without: the built-in ones.
import type { Kind, KindRef } from "@telltale/kinds";

export const isDeclared = (kind: KindRef): kind is Kind => "memory" in kind;

/** A kind without a vocabulary has no memory to guard and no conditions that are its own alone. */
export function asKind(kind: KindRef): Kind {
  return isDeclared(kind) ? kind : ({ ...kind, memory: [], conditions: { types: {} } } as unknown as Kind);
}
