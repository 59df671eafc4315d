// Makes the objects of an instance and puts them right. What the server refuses is told, not thrown: the status says it.
import { ApiError, type Applied, isForbidden } from "@telltale/client";
import type { Random } from "@telltale/clock";
import type { KindRef, KubeObject } from "@telltale/kinds";
import { ConfigMap, Deployment, Secret, Service, ServiceAccount } from "@telltale/kinds/builtin";
import type { Ensured, EnsureOptions, Hands } from "@telltale/runtime";
import { type SafeText, text } from "@telltale/status";
import { encoded, keyData, labelsOf, type Nameserver } from "../build/index.ts";
import type { Bind9Instance } from "../kinds/index.ts";
import { secretsForbidden } from "../messages.ts";
import { podServiceAccount, serviceAccountLabels } from "../names.ts";
import { attempted, isRejected, Refusal } from "../refusal.ts";
import type { Draft, KeyPlan } from "./key.ts";
import { clusterKey, observe, type Senses } from "./observe.ts";
import type { Plan } from "./plan.ts";
import type { Turn } from "./turns.ts";
import { type Made, nothingMade, type World } from "./world.ts";

type InstanceHands = Hands<typeof Bind9Instance>;

export interface Tools extends Senses {
  readonly random: Random;
}

export async function act(plan: Plan, hands: InstanceHands, world: World, tools: Tools): Promise<World> {
  if (plan.is === "nothing" || world.wanted.is !== "sound") {
    // A key may be missing where the rest of the spec is sound: only the plan knows.
    const problem = plan.is === "nothing" ? plan.problem : undefined;
    return problem === undefined ? world : { ...world, wanted: { is: "invalid", problem } };
  }
  const made = await build(plan, world.wanted.server, hands, world, tools);
  const after = await observe(world.it, hands, tools);
  return { ...after, made };
}

async function build(
  plan: Extract<Plan, { is: "build" }>,
  server: Nameserver,
  hands: InstanceHands,
  world: World,
  tools: Tools,
): Promise<Made> {
  const steps = new Steps(hands, server.namespace);
  const cluster = clusterKey(world.it) ?? "";
  const { uid = "" } = world.it.metadata;
  const turn: Turn = plan.rolls ? tools.turns.ask(cluster, world.it, world.siblings, hands.now) : { kind: "go" };
  const mayRoll = turn.kind === "go";
  await steps.ensure(ServiceAccount, account(server), { owner: "none", mode: "createOnly" });
  if (mayRoll) {
    await steps.secret(plan.key, server, ownersOf(server, world), tools);
    if (steps.isWell) {
      await steps.ensure(ConfigMap, plan.configMap);
      await steps.ensure(Deployment, plan.deployment);
    }
    if (steps.isWell) tools.turns.done(cluster, uid);
  }
  await steps.ensure(Service, plan.service);
  return {
    ...steps.made(world.deployment === undefined),
    ...(mayRoll ? {} : { isWaiting: true }),
    ...(turn.kind === "waitsFor" && turn.isNews ? { waitsFor: turn.instance } : {}),
  };
}

const account = ({ namespace }: Nameserver) => ({
  metadata: { name: podServiceAccount, namespace, labels: { ...serviceAccountLabels } },
});

/** One thing after the other, until the server refuses one. */
class Steps {
  readonly #hands: InstanceHands;
  readonly #namespace: string;
  readonly #taken: string[] = [];
  #refusal: Refusal | undefined;
  #said: SafeText | undefined;
  #isLeaving = false;
  #isRotated = false;
  #at = "";

  constructor(hands: InstanceHands, namespace: string) {
    this.#hands = hands;
    this.#namespace = namespace;
  }

  get isWell(): boolean {
    return this.#said === undefined && !this.#isLeaving;
  }

  made(hasNoDeployment: boolean): Made {
    const cause = this.#refusal?.cause;
    const isUnreadable =
      hasNoDeployment && this.#at === Deployment.kind && cause instanceof ApiError && cause.code >= 500;
    const isUnanswered = this.#refusal !== undefined && !isRejected(cause);
    const outcome =
      this.#said === undefined || isUnreadable
        ? {}
        : isUnanswered
          ? { unanswered: this.#said }
          : { refused: this.#said };
    return {
      ...nothingMade,
      taken: this.#taken,
      ...outcome,
      ...(isUnreadable ? { isUnreadable } : {}),
      ...(this.#isLeaving ? { isWaiting: true } : {}),
      ...(this.#isRotated ? { isRotated: true } : {}),
    };
  }

  async ensure<T extends KubeObject>(
    kind: KindRef<T>,
    object: NoInfer<Applied<T>>,
    options: EnsureOptions<T> = {},
  ): Promise<void> {
    const { name = "" } = (object as KubeObject).metadata ?? {};
    await this.#try(kind.kind, name, () => this.#hands.ensure(kind, object, options));
  }

  async secret(
    key: Exclude<KeyPlan, { is: "invalid" }>,
    server: Nameserver,
    owners: readonly string[],
    tools: Tools,
  ): Promise<void> {
    if (key.is === "keep") return;
    const { name } = key.is === "mark" ? { name: key.old.metadata?.name ?? "" } : key.secret;
    await this.#try(Secret.kind, name, async () => {
      const ensured = await writeSecret(key, server, owners, this.#hands, tools.random);
      if (ensured.as === "created" || ensured.as === "updated") tools.secrets.wrote(ensured.live);
      // Nobody knew of the one that is there: the next pass looks at it first, as when it would go.
      else if (key.is === "make") return { as: "terminating", live: ensured.live };
      return ensured;
    });
    if (key.is === "renew" && key.why === "due" && this.isWell) this.#isRotated = true;
  }

  async #try<T extends KubeObject>(kind: string, name: string, step: () => Promise<Ensured<T>>): Promise<void> {
    if (this.#said !== undefined) return;
    this.#at = kind;
    const done = await attempted(step);
    if (done instanceof Refusal) {
      this.#refusal = done;
      const isSecret = kind === Secret.kind && isForbidden(done.cause);
      this.#said = isSecret ? secretsForbidden(this.#namespace) : text`${kind} ${name}: ${done.said}`;
      this.#hands.log.warn("an object could not be made", { kind, name, err: done.cause });
    } else if (done.as === "foreign") {
      this.#taken.push(`${kind} ${name}`);
      this.#said = text`${kind} ${name} belongs to somebody else`;
    } else if (done.as === "terminating") this.#isLeaving = true;
  }
}

/** A key is drawn here and nowhere else. */
async function writeSecret(
  key: Exclude<KeyPlan, { is: "keep" } | { is: "invalid" }>,
  server: Nameserver,
  owners: readonly string[],
  hands: InstanceHands,
  random: Random,
): Promise<Ensured<Secret>> {
  if (key.is === "make") {
    const { secret } = key;
    const { namespace } = server;
    const metadata = { name: secret.name, namespace, labels: { ...secret.labels, ...labelsOf(server) } };
    return hands.ensure(
      Secret,
      {
        metadata: { ...metadata, annotations: { ...secret.annotations } },
        ...(secret.type === undefined ? {} : { type: secret.type }),
        data: dataOf(secret, random),
      },
      { mode: "createOnly" },
    );
  }
  const { old } = key;
  if (!isOwned(old, owners)) return { as: "foreign", live: old };
  const marks = { ...old.metadata?.annotations, ...(key.is === "mark" ? key.marks : key.secret.annotations) };
  const live = await hands.patch(Secret, old, [
    { op: "test", path: "/metadata/resourceVersion", value: old.metadata?.resourceVersion },
    { op: "add", path: "/metadata/annotations", value: marks },
    ...(key.is === "mark" ? [] : [{ op: "add", path: "/data", value: dataOf(key.secret, random) } as const]),
  ]);
  return { as: "updated", live };
}

/** What is given, and the rest of the key. */
function dataOf({ keyName, algorithm, fields }: Draft, random: Random): Record<string, string> {
  const { secret = Buffer.from(random.bytes(keyBytes)).toString("base64") } = fields;
  return encoded({ ...keyData({ name: keyName, algorithm, secret }), ...fields });
}

const keyBytes = 32;

/** Whose Secret it may change: a cluster can give one to all its servers, and whoever came first made it. */
const ownersOf = ({ name, key }: Nameserver, { siblings }: World): readonly string[] => [
  name,
  ...(key.is === "inline" ? siblings.map(({ instance }) => instance.metadata.name ?? "") : []),
];

const isOwned = ({ metadata }: Secret, instances: readonly string[]): boolean =>
  metadata?.ownerReferences?.some(({ kind, name, controller }) => {
    return controller === true && kind === "Bind9Instance" && instances.includes(name);
  }) ?? false;
