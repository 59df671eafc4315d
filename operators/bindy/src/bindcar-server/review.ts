// Asks the API server who a token is of.
import { type Connection, findConnection, httpTransport, type Transport } from "@telltale/client";
import { type Clock, systemClock } from "@telltale/clock";
import type { Review, Reviewed } from "./authenticate.ts";
import type { Cluster } from "./config.ts";

export interface Reviewer {
  readonly review: Review;
  close(): Promise<void>;
}

export interface ReviewerOptions {
  readonly cluster: Cluster;
  readonly read: (path: string) => Promise<string>;
  readonly clock?: Clock;
}

export async function reviewer({ cluster, read, clock = systemClock }: ReviewerOptions): Promise<Reviewer> {
  const connection = cluster.at === "here" ? await findConnection({ clock }) : givenConnection(cluster, read);
  const transport = httpTransport(connection);
  return { review: reviewOver(transport), close: () => transport.close() };
}

export function reviewOver(transport: Transport): Review {
  return async (token, audiences) => {
    const response = await transport.send({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      headers: { "content-type": "application/json", accept: "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token, audiences } }),
    });
    const text = await response.text();
    if (response.status !== 201 && response.status !== 200) throw new Error(`the API server said ${response.status}`);
    return reviewedOf(JSON.parse(text));
  };
}

function reviewedOf(body: unknown): Reviewed {
  const { status } = (body ?? {}) as {
    status?: { authenticated?: unknown; user?: { username?: unknown }; audiences?: unknown };
  };
  const { authenticated, user, audiences } = status ?? {};
  return {
    authenticated: authenticated === true,
    username: typeof user?.username === "string" ? user.username : "",
    audiences: Array.isArray(audiences) ? audiences.filter((it): it is string => typeof it === "string") : [],
  };
}

/** Token and certificate are read each time: both are renewed. */
function givenConnection(
  { server, tokenPath, caPath }: Extract<Cluster, { at: "given" }>,
  read: (path: string) => Promise<string>,
): Connection {
  let last: { readonly ca: string } | undefined;
  return {
    server,
    namespace: "default",
    async tls() {
      const ca = await read(caPath);
      if (last?.ca !== ca) last = { ca };
      return last;
    },
    identity: async () => ({ authorization: `Bearer ${(await read(tokenPath)).trim()}` }),
    forget: () => true,
  };
}
