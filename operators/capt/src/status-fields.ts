// Fields of a status as values: what is undefined goes away, what is not named stays.
import type { Kind, StatusOf } from "@telltale/kinds";
import type { Draft } from "@telltale/status";

export type FieldsOf<K extends Kind> = { readonly [F in keyof StatusOf<K>]?: StatusOf<K>[F] | undefined };

export function writeFields<K extends Kind>(draft: Draft<K>, fields: FieldsOf<K>): void {
  draft.set(present(fields) as Partial<StatusOf<K>>); // each of them is of its own type
  draft.unset(...(Object.keys(fields) as Name<K>[]).filter((name) => fields[name] === undefined));
}

type Name<K extends Kind> = Extract<keyof StatusOf<K>, string>;
type Present<T> = { [F in keyof T]: Exclude<T[F], undefined> };

/** Without the members that are not there. */
export function present<T extends object>(all: T): Partial<Present<T>> {
  const entries = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Present<T>>; // the members of the very object
}
