// Hears everything that a process tells anybody: each line of its log with all its fields, and each request, but for what may hold
// secrets: the specs of objects, and what is in Secrets.
import { inspect } from "node:util";
import type { Transport } from "@telltale/client";
import type { Log } from "@telltale/runtime";

export interface Hush {
  /** All that was told so far, one text each. */
  readonly heard: readonly string[];
  readonly log: Log;
  wrap(transport: Transport): Transport;
}

/** `complain` hears the lines at warn and error. */
export function hush(complain: (line: string) => void = () => {}): Hush {
  const heard: string[] = [];
  const logWith = (bound: object): Log => {
    const note = (message: string, fields: object = {}) => {
      const line = `${message} ${inspect({ ...bound, ...fields }, { depth: Number.POSITIVE_INFINITY })}`;
      heard.push(line);
      return line;
    };
    const loud = (message: string, fields?: object) => complain(note(message, fields));
    return { debug: note, info: note, warn: loud, error: loud, with: (more) => logWith({ ...bound, ...more }) };
  };
  return {
    heard,
    log: logWith({}),
    wrap: (way) => ({
      send(request) {
        heard.push(`${request.method} ${request.path} ${told(request.path, request.body)}`);
        return way.send(request);
      },
      close: () => way.close(),
    }),
  };
}

function told(path: string, body: string | Uint8Array | undefined): string {
  if (body === undefined) return "";
  const said: unknown = JSON.parse(String(body));
  const hidden = path.includes("/secrets") ? ["spec", "data", "stringData"] : ["spec"];
  // A list is a JSON patch.
  if (Array.isArray(said)) {
    return JSON.stringify(said.filter((it) => !hidden.some((name) => String(it.path).startsWith(`/${name}`))));
  }
  const shown = Object.entries(said ?? {}).filter(([name]) => !hidden.includes(name));
  return JSON.stringify(Object.fromEntries(shown));
}
