// The kubeconfig and the certificate of a control plane: where they come from, and the Secrets that others find them in
// (CP-10, CP-11).
import { Buffer } from "node:buffer";
import { Secret } from "@telltale/kinds/builtin";
import type { Look } from "@telltale/runtime";
import { Secret as Hidden } from "@telltale/status";
import { type Chain, isOwned, open, type Place, textIn } from "../chain.ts";
import type { CAPTControlPlane } from "../kinds/capt-control-plane.ts";
import { WorkspaceTemplateApply } from "../kinds/workspace-template-apply.ts";
import { certificateOf, kubeconfigProblem } from "../kubeconfig.ts";
import {
  caSecretName,
  kubeconfigApplyName,
  kubeconfigOutputsName,
  kubeconfigSecretName,
  labels,
  labelValue,
  secretTypes,
} from "../names.ts";
import { placeText } from "../provider/words.ts";
import { asking } from "../trouble.ts";

export interface Credentials {
  readonly kubeconfig: Material;
  readonly certificate: Material;
  readonly kubeconfigSecret: Published;
  readonly certificateSecret: Published;
  /** The apply that makes a kubeconfig, where there is one. */
  readonly kubeconfigApply?: WorkspaceTemplateApply;
}

/** What a run put out. */
export type Material =
  | { readonly is: "absent"; readonly place: string }
  | { readonly is: "invalid"; readonly place: string; readonly rule: string }
  | { readonly is: "valid"; readonly place: string; readonly text: Hidden };

/** The Secret that others read. */
export type Published =
  | { readonly is: "absent" }
  | { readonly is: "foreign"; readonly hasValue: boolean } // somebody else made it, and it is not touched
  | { readonly is: "ours"; readonly live: Secret; readonly isCurrent: boolean };

export const none: Credentials = {
  kubeconfig: { is: "absent", place: "" },
  certificate: { is: "absent", place: "" },
  kubeconfigSecret: { is: "absent" },
  certificateSecret: { is: "absent" },
};

/** Looked for only where the Workspace is available: before, nobody needs them. */
export async function observeCredentials(
  it: CAPTControlPlane,
  clusterName: string,
  chain: Chain,
  look: Look,
): Promise<Credentials> {
  const { namespace = "", name = "" } = it.metadata;
  const found = look.get(WorkspaceTemplateApply, { namespace, name: kubeconfigApplyName(name) });
  const apply = found !== undefined && isOwned(found, it) ? found : undefined;
  const base = { ...none, ...(apply === undefined ? {} : { kubeconfigApply: apply }) };
  // While runs fail, what the last good one left still counts for a control plane that was ready.
  const isOpen = chain.class === "Available" || (chain.class === "Degraded" && it.status?.initialized === true);
  if (!isOpen || chain.secret === undefined) return base;
  const kubeconfig = await kubeconfigOf(
    chain,
    apply === undefined ? undefined : { namespace, name: kubeconfigOutputsName(clusterName) },
    look,
  );
  const certificate = certificateIn(chain);
  const published = (key: string, wanted: SecretParts | undefined) =>
    publishedAt(it, { namespace, name: key }, wanted, look);
  return {
    ...base,
    kubeconfig,
    certificate,
    kubeconfigSecret: await published(kubeconfigSecretName(clusterName), kubeconfigParts(clusterName, kubeconfig)),
    certificateSecret:
      certificate.is === "valid"
        ? await published(caSecretName(clusterName), certificateParts(clusterName, certificate))
        : { is: "absent" },
  };
}

/** What we write of a Secret. */
export type SecretParts = Required<Pick<Secret, "type" | "data">> & {
  readonly metadata: { readonly name: string; readonly labels: Record<string, string> };
};

export const kubeconfigParts = (clusterName: string, material: Material): SecretParts | undefined =>
  material.is === "valid"
    ? parts(clusterName, kubeconfigSecretName(clusterName), { value: encoded(material.text) })
    : undefined;

/** Without a key: a managed control plane never tells it. */
export const certificateParts = (clusterName: string, material: Material): SecretParts | undefined => {
  if (material.is !== "valid") return undefined;
  const pem = encoded(material.text);
  return parts(clusterName, caSecretName(clusterName), { "tls.crt": pem, "ca.crt": pem });
};

const parts = (clusterName: string, name: string, data: Record<string, string>): SecretParts => ({
  metadata: { name, labels: { [labels.clusterName]: labelValue(clusterName) } },
  type: secretTypes.cluster,
  data,
});

const encoded = (text: Hidden): string => Buffer.from(text.reveal()).toString("base64");

async function kubeconfigOf(chain: Chain, outputs: Place | undefined, look: Look): Promise<Material> {
  const own = placeText(chain.secretPlace);
  const given = textIn(chain.secret, "kubeconfig");
  if (given !== undefined) return checked(chain.secret?.text("kubeconfig") ?? "", own);
  if (outputs === undefined) return { is: "absent", place: own };
  const made = (await open(look, outputs))?.text("kubeconfig") ?? "";
  return made.trim() === "" ? { is: "absent", place: own } : checked(made, placeText(outputs));
}

async function checked(text: string, place: string): Promise<Material> {
  const rule = await kubeconfigProblem(text);
  return rule === undefined ? { is: "valid", place, text: new Hidden(text) } : { is: "invalid", place, rule };
}

const certificateKey = "cluster_certificate_authority_data";

function certificateIn(chain: Chain): Material {
  const place = placeText(chain.secretPlace);
  const given = textIn(chain.secret, certificateKey);
  if (given === undefined) return { is: "absent", place };
  const pem = certificateOf(given);
  const rule = `key ${certificateKey} is no certificate`;
  return pem === undefined ? { is: "invalid", place, rule } : { is: "valid", place, text: new Hidden(pem) };
}

async function publishedAt(
  it: CAPTControlPlane,
  at: Place,
  wanted: SecretParts | undefined,
  look: Look,
): Promise<Published> {
  const live = await asking("get", Secret.plural, () => look.live(Secret, at));
  if (live === undefined) return { is: "absent" };
  const value = live.data?.["value"] ?? live.data?.["tls.crt"] ?? "";
  if (!isOwned(live, it)) return { is: "foreign", hasValue: value !== "" };
  return { is: "ours", live, isCurrent: wanted === undefined ? value !== "" : isAs(live, wanted) };
}

/** Whether a Secret holds what we would write. What else it holds is somebody else's. */
function isAs({ type, data, metadata }: Secret, wanted: SecretParts): boolean {
  const has = (all: Readonly<Record<string, string>> | undefined, some: Readonly<Record<string, string>>) =>
    Object.entries(some).every(([key, value]) => all?.[key] === value);
  return type === wanted.type && has(data, wanted.data) && has(metadata?.labels, wanted.metadata.labels);
}
