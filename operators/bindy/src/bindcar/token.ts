// The operator's token for Bindcar: a projected file that is renewed under our feet (9.6).
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { Secret } from "@telltale/status";

export interface TokenSource {
  /** Undefined where there is none: the request goes without, and Bindcar says 401. */
  get(): Promise<Secret | undefined>;
  /** The last one was refused: the next call reads again. */
  forget(): void;
}

/** Where it is in the operator's container, and whom it is good for. */
export const tokenMount = { path: "/var/run/secrets/bindcar", file: "token", audience: "bindcar" } as const;

export const tokenPaths = [
  `${tokenMount.path}/${tokenMount.file}`,
  "/var/run/secrets/kubernetes.io/serviceaccount/token",
] as const;

export interface TokenFileOptions {
  /** The text of a file, or undefined where there is none. */
  readonly read: (path: string) => Promise<string | undefined>;
  readonly clock: Clock;
  /** The first that is there counts. Default: `tokenPaths`. */
  readonly paths?: readonly string[];
}

const longest: Ms = 300_000;

export function tokenFile({ read, clock, paths = tokenPaths }: TokenFileOptions): TokenSource {
  let held: { readonly token: Secret; readonly at: Ms } | undefined;
  return {
    async get() {
      if (held !== undefined && clock.uptime() - held.at < longest) return held.token;
      for (const path of paths) {
        const text = (await read(path))?.trim();
        if (!text) continue;
        held = { token: new Secret(text), at: clock.uptime() };
        return held.token;
      }
      held = undefined;
      return undefined;
    },
    forget() {
      held = undefined;
    },
  };
}

/** One that never changes: `BIND_API_TOKEN` on both sides. */
export function fixedToken(token: string): TokenSource {
  const secret = new Secret(token);
  return { get: async () => secret, forget() {} };
}
