// Whether this process may do what its controllers do, asked of the server itself when it starts (7.7). Until it may, it is not
// ready, and says which rights are missing: a role that was cut too short shows here, and not in the middle of a migration.
import type { Client } from "@telltale/client";
import { type Clock, sleep } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { SelfSubjectAccessReview } from "@telltale/kinds/builtin";
import type { Check, PolicyRule, RbacManifest } from "@telltale/runtime";

interface AccessOptions {
  /** What `rbacManifests` makes of the controllers: rights in the whole cluster, and in single namespaces. */
  readonly manifests: readonly RbacManifest[];
  readonly clock: Clock;
  /** How long until what is missing is asked for again. Default: 30 s. */
  readonly again?: Ms;
}

export class Access {
  /** For the manager. */
  readonly check: Check = { name: "access", ready: () => this.#trouble };
  readonly #deeds: readonly Deed[];
  readonly #clock: Clock;
  readonly #again: Ms;
  #trouble: string | undefined = "the server has not said yet what this process may do";

  constructor({ manifests, clock, again = 30_000 }: AccessOptions) {
    this.#deeds = deedsOf(manifests);
    this.#clock = clock;
    this.#again = again;
  }

  /** Asks until nothing is missing any more, or the signal is raised. */
  async run(client: Pick<Client, "create">, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#trouble = await this.#ask(client, signal);
      if (this.#trouble === undefined) return;
      await sleep(this.#clock, this.#again, signal).catch(() => undefined);
    }
  }

  async #ask(client: Pick<Client, "create">, signal: AbortSignal): Promise<string | undefined> {
    const missing: string[] = [];
    for (const deed of this.#deeds) {
      try {
        if (!(await mayDo(client, deed, signal))) missing.push(wordsOf(deed));
      } catch (error) {
        return `the server does not say whether this process may ${wordsOf(deed)}: ${messageOf(error)}`;
      }
    }
    return missing.length === 0 ? undefined : `it may not ${missing.join(", ")}; grant what the operator's role lists`;
  }
}

/** One thing that is done, in the words of a review. */
export interface Deed {
  /** Empty: everywhere. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly verb: string;
  /** Empty: any object. */
  readonly name: string;
}

export function deedsOf(manifests: readonly RbacManifest[]): readonly Deed[] {
  return manifests.flatMap((it) => {
    if (it.kind === "ClusterRole" && "rules" in it) return (it.rules ?? []).flatMap((rule) => ofRule(rule, ""));
    if (it.kind === "Role" && "rules" in it) {
      return (it.rules ?? []).flatMap((rule) => ofRule(rule, it.metadata?.namespace ?? ""));
    }
    return [];
  });
}

function ofRule(
  { apiGroups = [], resources = [], resourceNames = [""], verbs }: PolicyRule,
  namespace: string,
): Deed[] {
  return apiGroups.flatMap((group) =>
    resources.flatMap((path) => {
      const [resource = "", subresource = ""] = path.split("/");
      return verbs.flatMap((verb) =>
        resourceNames.map((name) => ({ namespace, group, resource, subresource, verb, name })),
      );
    }),
  );
}

async function mayDo(client: Pick<Client, "create">, deed: Deed, signal: AbortSignal): Promise<boolean> {
  const answer = await client.create(
    SelfSubjectAccessReview,
    {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectAccessReview",
      spec: { resourceAttributes: { ...deed } },
    },
    { signal },
  );
  return answer.status?.allowed === true;
}

/** `list persistentvolumeclaims`, `patch deployments.apps in demo` */
function wordsOf({ namespace, group, resource, subresource, verb, name }: Deed): string {
  const what = `${resource}${subresource === "" ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`;
  return `${verb} ${what}${name === "" ? "" : ` ${name}`}${namespace === "" ? "" : ` in ${namespace}`}`;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
