// Acting as someone else: the `as` fields of a user, as headers.
import { ConfigError } from "./connection.ts";
import type { Entry, User } from "./kubeconfig.ts";
import type { Headers } from "./transport.ts";

export function impersonation({ file, value }: Entry<User>): Headers {
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = value;
  if (!as) {
    if (!uid && groups.length === 0 && Object.keys(extra).length === 0) return {};
    throw new ConfigError(file, "as", "a uid, groups or extra of nobody are impersonated", "name the user in `as`");
  }
  return {
    "impersonate-user": as,
    ...(uid ? { "impersonate-uid": uid } : {}),
    ...(groups.length > 0 ? { "impersonate-group": groups } : {}),
    ...Object.fromEntries(
      Object.entries(extra).map(([key, values]) => [`impersonate-extra-${headerName(key)}`, values]),
    ),
  };
}

/** What a header's name cannot hold is escaped by percent signs, which the server undoes. */
function headerName(key: string): string {
  return [...Buffer.from(key.toLowerCase(), "utf8")]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[a-z0-9!#$&'*+\-.^_`|~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}
