// Objects as they are sent: an absent member is not there at all, rather than undefined.

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

export function present<T extends object>(members: T): Present<T> {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Present<T>;
}

/** The same, or undefined when nothing is present. */
export function some<T extends object>(members: T): Present<T> | undefined {
  const kept = present(members);
  return Object.keys(kept).length === 0 ? undefined : kept;
}
