// The one call that makes a provider fetch an image, and what has to be right before it: that the provider may be sent there, and with
// which credentials.
import type { Ms } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { text } from "@telltale/status";
import { type AddressPolicy, checkHost, type Lookup } from "../addresses.ts";
import type { Provider } from "../kinds/index.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import { deadlines, prepareDeadline } from "../link/deadlines.ts";
import type { Link, Links } from "../link/links.ts";
import { ProviderError } from "../link/provider-error.ts";
import { type Credentials, readCredentials, secretsOf } from "./credentials.ts";
import type { Finding } from "./learn.ts";
import { prepareRequest } from "./request.ts";
import type { World } from "./world.ts";

export interface Tools {
  readonly links: Links;
  readonly tls: KnownSecrets;
  /** Where providers may be sent (7.4). */
  readonly addresses: AddressPolicy;
  readonly lookup: Lookup;
}

type Reading = Pick<Look, "live" | "now">;

export interface Errand {
  readonly key: string;
  readonly provider: Provider;
  /** How long it may still take. */
  readonly left: Ms;
  readonly signal: AbortSignal;
}

export async function send(errand: Errand, look: Reading, world: World, tools: Tools): Promise<Finding> {
  const { key, provider, left, signal } = errand;
  try {
    const { ask } = await linkTo(provider, look, tools);
    const denied = await objection(key, world, tools);
    if (denied !== undefined) return denied;
    const allowed = await credentialsFor(errand, ask, look, world);
    if ("is" in allowed) return allowed;
    const request = prepareRequest(world.image, provider, allowed.credentials);
    const answer = await ask("imagePrepare", request, { deadline: prepareDeadline(left), signal });
    const { preparedImageId: id, preparedImagePath: path, task } = answer;
    return { is: "answered", key, id, path, task: task?.id ?? "" };
  } catch (error) {
    if (error instanceof ProviderError) return { is: "error", key, failure: error.failure, said: error.said };
    throw error;
  }
}

/** Throws `ProviderError` where there is nothing to ask with. */
export async function linkTo(provider: Provider, look: Reading, { links, tls }: Tools): Promise<Link> {
  const found = await tls.of(provider, look);
  if (found.is === "missing") throw ProviderError.unsent("UNAVAILABLE", "Unavailable", found.why);
  return links.of(provider, found.is === "secret" ? found.secret : undefined);
}

/** Why the provider is not sent to where the image is. */
async function objection(key: string, { source }: World, { addresses, lookup }: Tools): Promise<Finding | undefined> {
  if (source.is !== "import" || source.url === undefined) return undefined;
  const refused = { is: "refused", key, reason: "ValidationError" } as const;
  if (!URL.canParse(source.url)) return { ...refused, said: text`the URL of the image cannot be read` };
  const checked = await checkHost(new URL(source.url).hostname, addresses, lookup);
  if (checked.is === "allowed") return undefined;
  if (checked.is === "denied") return { ...refused, said: checked.why };
  return { is: "error", key, failure: "Retryable", said: checked.why };
}

async function credentialsFor(
  { key, signal }: Errand,
  ask: Link["ask"],
  look: Reading,
  { image, source }: World,
): Promise<{ readonly credentials: Credentials } | Finding> {
  if (source.is !== "import" || !source.hasCredentials) return { credentials: {} };
  const can = await ask("getCapabilities", {}, { deadline: deadlines.getCapabilities, signal });
  if (!can.extensions.includes("image-credentials")) {
    return { is: "refused", key, reason: "Unsupported", said: text`the provider takes no credentials for images` };
  }
  const { namespace = "" } = image.metadata;
  const secrets = new Map<string, Secret | undefined>();
  for (const name of secretsOf(image.spec)) secrets.set(name, await look.live(Secret, { namespace, name }));
  const read = readCredentials(image.spec, secrets);
  if (read.is === "incomplete") return { is: "error", key, failure: "Retryable", said: read.why };
  return { credentials: read.credentials };
}
