// What two states of an object have in common is kept once: a change leaves most of it as it was. What is kept then is only
// what is new, and whoever compares the two finds at once that a part is the same.

/** The later state, with each part that is as it was before taken from there. It is changed in place; its value is not. */
export function share(before: unknown, after: unknown): unknown {
  if (before === after) return before;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) return after;
  if (Object.isFrozen(after)) return after; // it is somebody else's
  // Not `for in`: V8 would compile it for one shape of objects, find others, and begin anew for ever.
  const names = Object.keys(after);
  let isSame = names.length === Object.keys(before).length;
  for (const name of names) {
    const [old, now] = [before[name], after[name]];
    const kept = name === "__proto__" ? now : share(old, now);
    if (kept !== old || old === undefined) isSame = false;
    if (kept !== now) after[name] = kept;
  }
  return isSame ? before : after;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
