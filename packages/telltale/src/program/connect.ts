// The cluster that a command is about: as kubectl finds it.
import { type Client, createClient, findConnection, httpTransport, type Transport } from "@telltale/client";
import type { Call } from "./command.ts";
import { problemOf } from "./problem.ts";

export interface Connected {
  readonly client: Client;
  readonly transport: Transport;
  /** Of the context. */
  readonly namespace: string;
  /** The server's address. */
  readonly server: string;
}

/** Works with a cluster; whatever goes wrong with it is told with its address. */
export async function connected<T>(call: Call, work: (at: Connected) => Promise<T>): Promise<T> {
  const { values, clock, random, env } = call;
  const { kubeconfig: path, context } = values;
  const found = await findConnection({ clock, env, ...(path && { path }), ...(context && { context }) });
  const transport = httpTransport(found);
  const client = createClient({
    transport,
    clock,
    random,
    userAgent: "telltale",
    fieldManager: "telltale",
    // A person waits: who does not answer soon does not answer.
    timeout: 15_000,
    budget: { attempts: 3, total: 5_000, first: 100, longest: 1_000 },
  });
  try {
    return await work({ client, transport, namespace: found.namespace, server: found.server });
  } catch (error) {
    throw problemOf(error, found.server);
  } finally {
    await transport.close();
  }
}
