// The query of a request, read and changed.
import type { Request } from "@telltale/client";

export function queryOf({ path }: Request): URLSearchParams {
  return new URLSearchParams(path.split("?", 2)[1] ?? "");
}

/** The same request with other values in its query. Undefined takes one out. */
export function asking(request: Request, values: Readonly<Record<string, string | undefined>>): Request {
  const query = queryOf(request);
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  }
  return { ...request, path: `${request.path.split("?", 1)[0]}?${query}` };
}
