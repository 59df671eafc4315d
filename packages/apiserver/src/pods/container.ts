// Which container of a pod is meant, and whether it has a log. Pure; the words are those of kube-apiserver and kubelet.
import { at, type Json, type JsonObject, text } from "../json.ts";
import { each, given } from "../kinds/edit.ts";
import { nameOf } from "../registry/metadata.ts";
import { badRequest, StatusError } from "../status.ts";

/** The container that is asked for, or the only one. Throws 400. */
export function containerOf(pod: JsonObject, asked: string): string {
  const spec = given(pod, "spec");
  const [first, ...others] = each(spec, "containers").map((it) => text(it["name"]));
  if (asked === "" && first !== undefined && others.length === 0) return first;
  const all = ["initContainers", "containers", "ephemeralContainers"].flatMap((group) =>
    each(spec, group).map((it) => text(it["name"])),
  );
  if (asked === "")
    throw badRequest(`a container name must be specified for pod ${nameOf(pod)}, choose one of: [${all.join(" ")}]`);
  if (!all.includes(asked)) throw badRequest(`container ${asked} is not valid for pod ${nameOf(pod)}`);
  return asked;
}

/** Throws where a container has not written anything yet, or not before its last start. */
export function checkHasLog(pod: JsonObject, container: string, previous: boolean): void {
  const why = refusal(pod, container, previous);
  if (why !== undefined) throw badRequest(why);
}

function refusal(pod: JsonObject, container: string, previous: boolean): string | undefined {
  const it = `container ${JSON.stringify(container)} in pod ${JSON.stringify(nameOf(pod))}`;
  const status = statusOf(pod, container);
  if (status === undefined) return `${it} is not available`;
  const last = at(status, "lastState", "terminated");
  if (previous) return last === undefined ? `previous terminated ${it} not found` : undefined;
  const state = at(status, "state");
  if (at(state, "running") !== undefined || at(state, "terminated") !== undefined || last !== undefined)
    return undefined;
  const waiting = at(state, "waiting");
  return waiting === undefined
    ? `${it} is waiting to start - no logs yet`
    : `${it} is waiting to start: ${reasons[text(at(waiting, "reason"))] ?? text(at(waiting, "reason"))}`;
}

const reasons: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: "trying and failing to pull image",
};

function statusOf(pod: JsonObject, container: string): Json | undefined {
  return ["containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"]
    .flatMap((group) => each(given(pod, "status"), group))
    .find((it) => it["name"] === container);
}

/** 400 for a pod that is nowhere yet. */
export function checkHasHost(pod: JsonObject): void {
  if (text(at(pod, "spec", "nodeName")) === "") throw badRequest(`pod ${nameOf(pod)} does not have a host assigned`);
}

/** 501 where nothing runs that could be connected to. */
export const nothingRuns = (what: string): StatusError =>
  new StatusError(501, "NotImplemented", `${what} needs pods that run as processes, and these do not`);
