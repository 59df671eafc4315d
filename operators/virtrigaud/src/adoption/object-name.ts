// What the object of a machine is called that has a name already (3.11 step 4). Pure.
import { sha256Hex } from "@telltale/kinds";

const longest = 63;

/** Lower case, with `-` for what separates words, and nothing that a name cannot have. */
export function objectName({ id, name }: { readonly id: string; readonly name: string }): string {
  const plain = fit(name);
  if (plain !== "") return plain;
  const byId = fit(id);
  return fit(`vm-${byId === "" ? sha256Hex(id, 10) : byId}`);
}

/** The same for another machine whose name comes to the same. */
export function distinctName(machine: { readonly id: string; readonly name: string }): string {
  const hash = sha256Hex(machine.id, 5);
  return `${trimmed(objectName(machine).slice(0, longest - hash.length - 1))}-${hash}`;
}

function fit(name: string): string {
  const mapped = name
    .toLowerCase()
    .replace(/[_. ]/g, "-")
    .replace(/[^a-z0-9-]/g, "");
  return trimmed(trimmed(mapped).slice(0, longest));
}

const trimmed = (name: string): string => name.replace(/^-+|-+$/g, "");
