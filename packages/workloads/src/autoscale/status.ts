// What a HorizontalPodAutoscaler says where nobody measures pods: what its target has, and that it cannot tell how much it
// needs. Pure.
import { formatTime, type Instant, type Ms, parseLabelSelector, plus } from "@telltale/kinds";
import type { HorizontalPodAutoscaler } from "@telltale/kinds/builtin";

export type Status = NonNullable<HorizontalPodAutoscaler["status"]>;
type Condition = NonNullable<Status["conditions"]>[number];
type Metric = NonNullable<NonNullable<HorizontalPodAutoscaler["spec"]>["metrics"]>[number];

/** What is known of the target. */
export type Target = {
  /** It was asked of the server: nothing tells of its changes. */
  readonly isRead?: boolean;
} & (
  | {
      readonly is: "found";
      readonly wanted: number;
      readonly there: number;
      /** Of its pods, as text; undefined where its kind always has one. */
      readonly selector?: string;
    }
  | { readonly is: "missing"; readonly why: string }
);

export function statusOf(scaler: HorizontalPodAutoscaler, target: Target, now: Instant): Status {
  const before = scaler.status;
  const { currentReplicas: known, ...others } = before ?? {};
  const current = target.is === "found" ? target.there : known;
  const { generation } = scaler.metadata ?? {};
  const said = target.is === "found" ? [able, activity(scaler, target)] : [unable(target.why)];
  return {
    ...others,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    // As the server has it: none is not said.
    ...(current === undefined || current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: before?.desiredReplicas ?? 0,
    conditions: said.reduce((all, it) => put(all, it, now), before?.conditions ?? []),
  };
}

type Say = Pick<Condition, "type" | "status"> & { readonly reason: string; readonly message: string };

const able: Say = {
  type: "AbleToScale",
  status: "True",
  reason: "SucceededGetScale",
  message: "the HPA controller was able to get the target's current scale",
};

const unable = (why: string): Say => ({
  type: "AbleToScale",
  status: "False",
  reason: "FailedGetScale",
  message: `the HPA controller was unable to get the target's current scale: ${why}`,
});

type Found = Extract<Target, { is: "found" }>;

function activity(scaler: HorizontalPodAutoscaler, target: Found): Say {
  const type = "ScalingActive";
  const status = "False";
  if (isDisabled(scaler, target)) {
    const message = "scaling is disabled since the replica count of the target is zero";
    return { type, status, reason: "ScalingDisabled", message };
  }
  const selection = selectorProblem(target);
  if (selection !== undefined) return { type, status, reason: "InvalidSelector", message: selection.message };
  const { reason, why } = missing(scaler.spec?.metrics?.[0]);
  return { type, status, reason, message: `the HPA was unable to compute the replica count: ${why}` };
}

const isDisabled = ({ spec }: HorizontalPodAutoscaler, { wanted }: Found): boolean =>
  wanted === 0 && spec?.minReplicas !== 0;

/** Without a selector it is not known whose numbers count. */
function selectorProblem({ selector }: Found): { readonly event: EventText; readonly message: string } | undefined {
  if (selector === undefined) return undefined;
  if (selector === "") {
    const event = { reason: "SelectorRequired", message: "selector is required" };
    return { event, message: "the HPA target's scale is missing a selector" };
  }
  const parsed = parseLabelSelector(selector);
  if (!("error" in parsed)) return undefined;
  const message = `couldn't convert selector into a corresponding internal selector object: ${parsed.error}`;
  return { event: { reason: "InvalidSelector", message }, message };
}

export interface EventText {
  readonly reason: string;
  readonly message: string;
}

/** The Warning about what keeps it from scaling; none where its target asks for no replicas. */
export function warningOf(scaler: HorizontalPodAutoscaler, target: Target): EventText | undefined {
  if (target.is === "missing") return { reason: "FailedGetScale", message: target.why };
  if (isDisabled(scaler, target)) return undefined;
  const selection = selectorProblem(target);
  if (selection !== undefined) return selection.event;
  const { reason, why } = missing(scaler.spec?.metrics?.[0]);
  return { reason, message: why };
}

/** Scales that the server was asked for are asked for again after so long. */
const rereadScale: Ms = 15_000;

export const nextLook = ({ isRead }: Target, now: Instant): Instant | undefined =>
  isRead === true ? plus(now, rereadScale) : undefined;

/** The interface that would have the numbers does not exist here. */
export function missing(metric: Metric | undefined): { readonly reason: string; readonly why: string } {
  const none = (group: string, what: string) =>
    `unable to fetch metrics from ${group}: the server could not find the requested resource${what}`;
  switch (metric?.type) {
    case "ContainerResource": {
      const name = metric.containerResource?.name ?? "";
      const why = `failed to get ${name} container metric: ${none("resource metrics API", " (get pods.metrics.k8s.io)")}`;
      return { reason: "FailedGetContainerResourceMetric", why };
    }
    case "Pods":
      return {
        reason: "FailedGetPodsMetric",
        why: `failed to get pods metric value: ${none("custom metrics API", "")}`,
      };
    case "Object":
      return {
        reason: "FailedGetObjectMetric",
        why: `failed to get object metric value: ${none("custom metrics API", "")}`,
      };
    case "External":
      return {
        reason: "FailedGetExternalMetric",
        why: `failed to get external metric value: ${none("external metrics API", "")}`,
      };
    default: {
      const name = metric?.resource?.name ?? "cpu";
      const what = metric?.resource?.target.type === "AverageValue" ? "usage" : "utilization";
      const from = none("resource metrics API", " (get pods.metrics.k8s.io)");
      const why = `failed to get ${name} ${what}: unable to get metrics for resource ${name}: ${from}`;
      return { reason: "FailedGetResourceMetric", why };
    }
  }
}

/** In its place; the time is that of the last change of status. */
function put(conditions: readonly Condition[], say: Say, now: Instant): Condition[] {
  const old = conditions.find(({ type }) => type === say.type);
  const lastTransitionTime = (old?.status === say.status ? old.lastTransitionTime : undefined) ?? formatTime(now);
  const next: Condition = { ...say, lastTransitionTime };
  return old === undefined ? [...conditions, next] : conditions.map((it) => (it === old ? next : it));
}
