// Certificates that somebody else makes and puts into a folder, as cert-manager does with a mounted Secret.
import { join } from "node:path";
import { factsOf } from "@telltale/certificates";
import { type Client, type Files, systemFiles } from "@telltale/client";
import type { Clock, Random } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import type { Log } from "../log.ts";
import { type BundleTarget, publishBundle } from "./ca-bundle.ts";
import { type CertificateFeed, certificateFeed, type Served } from "./certificate-feed.ts";

export interface MountedCertificatesOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Log;
  readonly folder: string;
  /** Default: `tls.crt`, `tls.key` and `ca.crt`. The last one may be missing. */
  readonly names?: { readonly cert?: string; readonly key?: string; readonly ca?: string };
  /** How often the files are looked at. Default: 10 s. */
  readonly every?: Ms;
  readonly files?: Files;
  /** Where the authority of the folder is written to, where nobody else does that. */
  readonly publish?: { readonly client: Client; readonly into: readonly BundleTarget[] };
}

export function mountedCertificates(options: MountedCertificatesOptions): CertificateFeed {
  const { clock, random, log, folder, names = {}, every = 10_000, files = systemFiles, publish } = options;
  const path = (name: string) => join(folder, name);
  const [cert, key, ca] = [path(names.cert ?? "tls.crt"), path(names.key ?? "tls.key"), path(names.ca ?? "ca.crt")];
  return certificateFeed({
    clock,
    random,
    every,
    ...(log === undefined ? {} : { log }),
    look: () => readServed(files, { cert, key, ca }),
    ...(publish === undefined
      ? {}
      : { after: ({ ca: bundle }) => publishBundle(publish.client, publish.into, bundle) }),
  });
}

async function readServed(files: Files, paths: Served): Promise<Served> {
  const cert = await required(files, paths.cert);
  const key = await required(files, paths.key);
  const facts = factsOf(cert);
  if (facts === undefined) throw new Error(`${paths.cert} holds no certificate; put one there, in PEM`);
  // Also seen for a moment while both files are replaced: the next look is soon.
  if (!facts.fits(key)) throw new Error(`${paths.key} is not the key of ${paths.cert}; put both there`);
  return { cert, key, ca: (await files.read(paths.ca)) ?? "" };
}

async function required(files: Files, path: string): Promise<string> {
  const found = await files.read(path);
  if (found === undefined) throw new Error(`${path} is missing; mount the certificate there, or turn webhooks off`);
  return found;
}
