// What a request is about, read off its path.

export interface Target {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly isWatch: boolean;
}

/** The same paths are asked for in every plan. */
const known = new Map<string, Target>();
const most = 10_000;

export function targetOf(path: string): Target {
  let target = known.get(path);
  if (target === undefined) {
    target = read(path);
    if (known.size < most) known.set(path, target);
  }
  return target;
}

function read(path: string): Target {
  const [place = "", query = ""] = path.split("?", 2);
  const parts = place.split("/").slice(1).map(decodeURIComponent);
  const isCore = parts[0] === "api";
  const group = isCore ? "" : (parts[1] ?? "");
  const version = (isCore ? parts[1] : parts[2]) ?? "";
  let rest = parts.slice(isCore ? 2 : 3);
  let namespace: string | undefined;
  if (rest[0] === "namespaces" && rest.length > 2) {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [resource = "", name, subresource] = rest;
  return {
    group,
    version,
    resource,
    isWatch: /(^|&)watch=(true|1)(&|$)/.test(query),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** The place of an object in the server's store. */
export const keyOf = ({ group, resource, namespace, name }: Target): string =>
  ["", group, resource, ...(namespace === undefined ? [] : [namespace]), name ?? ""].join("/");
