// `pods/log`: what a container has written, all of it or the end, now or as it comes.
import { type Instant, instant } from "@telltale/kinds";
import type { Pod } from "@telltale/kinds/builtin";
import { parseGoTime } from "../crd/go-time.ts";
import { queryBoolean, queryInteger } from "../decode/options.ts";
import type { JsonObject } from "../json.ts";
import { at, text } from "../json.ts";
import { nameOf } from "../registry/metadata.ts";
import type { ApiResponse } from "../request.ts";
import { badRequest, type FieldError, forbiddenField, internal, invalid, invalidField } from "../status.ts";
import { unlessGone } from "../transport/pace.ts";
import type { LogOptions, PodAccess } from "./access.ts";
import { checkHasLog, containerOf } from "./container.ts";

export interface LogRequest {
  readonly pod: JsonObject;
  readonly query: URLSearchParams;
  readonly now: Instant;
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal;
}

export async function podLog(access: PodAccess | undefined, request: LogRequest): Promise<ApiResponse> {
  const { pod } = request;
  const options = logOptions(request);
  const plain = { "cache-control": "no-cache, private", "content-type": "text/plain" };
  // A pod that is nowhere yet has written nothing.
  if (access === undefined || text(at(pod, "spec", "nodeName")) === "")
    return { status: 200, headers: plain, body: "" };
  checkHasLog(pod, options.container, options.previous);
  try {
    // A stored object that was validated as a Pod.
    const written = await access.logs(pod as Pod, options);
    return { status: 200, headers: plain, body: unlessGone(written, options.signal) };
  } catch (error) {
    throw internal(error instanceof Error ? error.message : String(error));
  }
}

/** What the query asks for. Throws 400 for what cannot be read and 422 for what makes no sense. */
export function logOptions({ pod, query, now, signal }: LogRequest): LogOptions {
  const container = containerOf(pod, query.get("container") ?? "");
  const flag = (name: string) => queryBoolean(query, name) ?? false;
  const tailLines = queryInteger(query, "tailLines");
  const limitBytes = queryInteger(query, "limitBytes");
  const sinceSeconds = queryInteger(query, "sinceSeconds");
  const sinceTime = momentOf(query.get("sinceTime"));
  const errors = [
    ...(tailLines !== undefined && tailLines < 0
      ? [invalidField("tailLines", tailLines, "must be greater than or equal to 0")]
      : []),
    ...(limitBytes !== undefined && limitBytes < 1
      ? [invalidField("limitBytes", limitBytes, "must be greater than 0")]
      : []),
    ...sinceErrors(sinceSeconds, sinceTime),
  ];
  if (errors.length > 0) throw invalid("", "PodLogOptions", nameOf(pod), errors);
  const since = sinceSeconds === undefined ? sinceTime : instant(now - sinceSeconds * 1000);
  return {
    container,
    follow: flag("follow"),
    previous: flag("previous"),
    timestamps: flag("timestamps"),
    ...(since === undefined ? {} : { since }),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    signal,
  };
}

function sinceErrors(seconds: number | undefined, time: Instant | undefined): FieldError[] {
  if (seconds === undefined) return [];
  if (time !== undefined) return [forbiddenField("", "at most one of `sinceTime` or `sinceSeconds` may be specified")];
  return seconds < 1 ? [invalidField("sinceSeconds", seconds, "must be greater than 0")] : [];
}

function momentOf(given: string | null): Instant | undefined {
  if (given === null || given === "") return undefined;
  const moment = parseGoTime(given);
  if ("problem" in moment) throw badRequest(`parsing time ${JSON.stringify(given)}${moment.problem}`);
  return instant(moment.ms + Math.floor(Number(`0.${moment.fraction}`) * 1000));
}
