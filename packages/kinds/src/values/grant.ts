// Who may refer to an object from elsewhere: an annotation that holds a comma list of names, or `*` for everyone.

/** Whether the list names `name`. Spaces around names do not count; no list and an empty list grant nothing. */
export function grants(list: string | undefined, name: string): boolean {
  if (list === undefined || name === "") return false;
  return list.split(",").some((entry) => entry.trim() === "*" || entry.trim() === name);
}
