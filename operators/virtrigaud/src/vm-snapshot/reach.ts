// How a provider is asked, or why it cannot be.
import type { Look } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import { Provider } from "../kinds/index.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import { isUnreachable } from "../link/failure.ts";
import type { Link, Links } from "../link/links.ts";
import type { ProviderError } from "../link/provider-error.ts";
import { isReachable, unreachable } from "../reachable.ts";

export type Channel =
  | { readonly is: "open"; readonly link: Link; readonly provider: Provider }
  | { readonly is: "closed"; readonly why: SafeText; readonly provider?: Provider };

/** What asking takes. */
export interface Ways {
  readonly links: Links;
  readonly tls: KnownSecrets;
}

/** Ours takes no second request of a name that it has, or is at: what it does not list can be asked for again at once. */
export const isExact = ({ provider }: Channel): boolean => provider?.spec.type === "qemu";

/** What is said where the provider did not say what it was asked: the same words however it shows that it is away. */
export function unanswered(
  { failure, said }: ProviderError,
  { channel: { provider } }: { readonly channel: Channel },
): { readonly why: SafeText; readonly isAway: boolean } {
  if (!isUnreachable(failure)) return { why: said, isAway: false };
  const { namespace = "", name = "" } = provider?.metadata ?? {};
  return { why: unreachable(`${namespace}/${name}`), isAway: true };
}

export async function reach(
  at: { readonly namespace: string; readonly name: string },
  look: Look,
  { links, tls }: Ways,
): Promise<Channel> {
  const provider = look.get(Provider, at);
  if (provider === undefined) return { is: "closed", why: text`Provider ${at.namespace}/${at.name} not found` };
  if (!isReachable(provider, "what exists")) {
    return { is: "closed", why: unreachable(`${at.namespace}/${at.name}`), provider };
  }
  const found = await tls.of(provider, look);
  if (found.is === "missing") return { is: "closed", why: found.why, provider };
  return { is: "open", link: links.of(provider, ...(found.is === "plain" ? [] : [found.secret])), provider };
}
