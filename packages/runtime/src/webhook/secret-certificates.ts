// Certificates that we make ourselves and keep in a Secret: a CA, and what it signed for our Service. Whoever is first makes
// them; every replica reads them, renews what is due, and sees when another one was faster. Nothing is ever PUT.
import { factsOf } from "@telltale/certificates";
import { type Client, isAlreadyExists, isConflict, isNotFound, type JsonPatchOperation } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { Instant, Ms } from "@telltale/kinds";
import { Secret } from "@telltale/kinds/builtin";
import { type Log, silentLog } from "../log.ts";
import { type BundleTarget, publishBundle } from "./ca-bundle.ts";
import { type CertificateFeed, certificateFeed, type Served } from "./certificate-feed.ts";
import { type Due, due, type Kept, renewed, type Terms } from "./rotation.ts";

export interface CertificatesOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
  /** Of the Secret and of the Service. */
  readonly namespace: string;
  /** The certificate is for `<service>.<namespace>.svc`. */
  readonly service: string;
  /** The Secret's name. */
  readonly secret: string;
  /** Further names and addresses under which a server calls: `127.0.0.1`. */
  readonly hosts?: readonly string[];
  /** Where the CA is written to as `caBundle`. */
  readonly publish?: readonly BundleTarget[];
  /** Of the certificate. Default: 90 days, renewed after 60. */
  readonly lasts?: Ms;
  /** Of the CA. Default: ten years, renewed after two thirds. */
  readonly caLasts?: Ms;
  /** How long a new CA is known before it is used, and the old one after. Default: a day. */
  readonly overlap?: Ms;
  /** How often the Secret is looked at. Default: a minute. */
  readonly every?: Ms;
}

const day: Ms = 24 * 3_600_000;
const attempts = 5;

export function certificates(options: CertificatesOptions): CertificateFeed {
  const { client, clock, random, log = silentLog, namespace, service, secret, publish = [] } = options;
  const ref = { name: secret, namespace };
  const terms: Terms = {
    hosts: [`${service}.${namespace}.svc`, ...(options.hosts ?? [])],
    lasts: options.lasts ?? 90 * day,
    caLasts: options.caLasts ?? 3650 * day,
    overlap: options.overlap ?? day,
  };
  checkTerms(terms);
  let last: Kept | undefined;

  /** Undefined: somebody else was faster. */
  const attempt = async (): Promise<Served | undefined> => {
    const found = await orUndefined(client.get(Secret, secret, { namespace }));
    const kept = found === undefined ? undefined : keptIn(found);
    const plan = planFor(kept, last, terms, clock.now());
    if (plan.at === "use") {
      last = plan.kept;
      return servedOf(plan.kept);
    }
    const next = plan.at === "restore" ? plan.kept : renewed(kept, plan.what, terms, { clock, random });
    try {
      if (found === undefined) await client.create(Secret, secretOf(ref, next));
      else await client.patch(Secret, ref, { json: secretPatch(found, next) });
    } catch (error) {
      if (isAlreadyExists(error) || isConflict(error)) return undefined;
      throw error;
    }
    log.info("the webhooks' certificates were written", { namespace, secret, why: plan.why });
    last = next;
    return servedOf(next);
  };

  return certificateFeed({
    clock,
    random,
    log,
    every: options.every ?? 60_000,
    async look() {
      for (let n = 1; n <= attempts; n += 1) {
        const served = await attempt();
        if (served !== undefined) return served;
      }
      throw new Error(`Secret ${namespace}/${secret} changed each time that it was written to; it is tried again`);
    },
    after: ({ ca }) => publishBundle(client, publish, ca),
  });
}

/** What to do with a Secret. */
export type Plan =
  | { readonly at: "use"; readonly kept: Kept } // it is good as it is
  | { readonly at: "restore"; readonly kept: Kept; readonly why: string } // it is gone, and we still know it
  | { readonly at: "renew"; readonly what: Exclude<Due["at"], "nothing">; readonly why: string };

export function planFor(found: Kept | undefined, last: Kept | undefined, terms: Terms, now: Instant): Plan {
  if (found === undefined) {
    // Servers need not hear of another CA because somebody deleted the Secret.
    const good = last !== undefined && last.caKey !== "" && due(last, terms, now).at === "nothing";
    if (good) return { at: "restore", kept: last, why: "the Secret was deleted" };
    return { at: "renew", what: "everything", why: "there was no Secret" };
  }
  if (found.caKey === "" && found.cert !== "") return { at: "use", kept: checkForeign(found, terms) };
  const step = due(found, terms, now);
  return step.at === "nothing" ? { at: "use", kept: found } : { at: "renew", what: step.at, why: step.why };
}

/** Without the CA's key the Secret is somebody else's work, such as cert-manager's: it is used, and left alone. */
function checkForeign(found: Kept, { hosts }: Terms): Kept {
  const facts = factsOf(found.cert);
  const fix = "correct it where it comes from, or delete it to have one made";
  if (facts === undefined) throw new Error(`tls.crt of the Secret holds no certificate; ${fix}`);
  if (!facts.fits(found.key)) throw new Error(`tls.key of the Secret is not the key of its tls.crt; ${fix}`);
  if (!facts.names(hosts[0])) throw new Error(`tls.crt of the Secret is not for ${hosts[0]}; ${fix}`);
  return found;
}

function checkTerms({ lasts, caLasts, overlap }: Terms): void {
  if (overlap * 3 <= lasts && lasts <= caLasts) return;
  throw new RangeError(
    `a certificate of ${lasts} ms by a CA of ${caLasts} ms leaves no room for an overlap of ${overlap} ms; make the overlap a third of \`lasts\` at most, and \`lasts\` no longer than \`caLasts\``,
  );
}

const servedOf = ({ cert, key, bundle }: Kept): Served => ({ cert, key, ca: bundle });

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const names = { cert: "tls.crt", key: "tls.key", bundle: "ca.crt", caKey: "ca.key" } as const;
const fields = ["cert", "key", "bundle", "caKey"] as const satisfies readonly (keyof Kept)[];

function keptIn({ data = {} }: Secret): Kept {
  const read = (field: keyof Kept) => Buffer.from(data[names[field]] ?? "", "base64").toString("utf8");
  return { cert: read("cert"), key: read("key"), bundle: read("bundle"), caKey: read("caKey") };
}

const encoded = (kept: Kept, field: keyof Kept): string => Buffer.from(kept[field]).toString("base64");

function secretOf(ref: { readonly name: string; readonly namespace: string }, kept: Kept): Secret {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...ref },
    type: "kubernetes.io/tls",
    data: Object.fromEntries(fields.map((field) => [names[field], encoded(kept, field)])),
  };
}

/** All four are tested: they only mean something together. */
function secretPatch(found: Secret, kept: Kept): JsonPatchOperation[] {
  const { data } = found;
  const uid: JsonPatchOperation = { op: "test", path: "/metadata/uid", value: found.metadata?.uid };
  if (data === undefined) {
    const made = secretOf({ name: "", namespace: "" }, kept).data;
    return [uid, { op: "test", path: "/data", value: null }, { op: "add", path: "/data", value: made }];
  }
  const path = (field: keyof Kept) => `/data/${names[field]}`;
  const changed = fields.filter((field) => data[names[field]] !== encoded(kept, field));
  return [
    uid,
    ...fields.map((field) => ({ op: "test", path: path(field), value: data[names[field]] ?? null }) as const),
    ...changed.map((field) => ({ op: "add", path: path(field), value: encoded(kept, field) }) as const),
  ];
}
