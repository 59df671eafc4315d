// One look at a container: does it answer? By HTTP, TCP, gRPC or a command, with the words of a kubelet where it does not.
import { request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import type { Clock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { Deadline } from "./deadline.ts";
import { checkHealth } from "./grpc-health.ts";
import { codeOf, textOf } from "./refusal.ts";
import type { HttpGet, Probe } from "./spec.ts";

export type Verdict =
  | { readonly is: "success"; readonly warning?: string }
  | { readonly is: "failure"; readonly message: string };

/** The container that is looked at. */
export interface Target {
  /** Where a port of it can be reached, by number or name. Throws where there is no such port. */
  address(port: number | string): { readonly host: string; readonly port: number };
  /** Runs a command in it. Rejects when it cannot be run, and when the signal says so. */
  run(command: readonly string[], signal: AbortSignal): Promise<{ readonly exitCode: number; readonly output: string }>;
}

export async function probeOnce(probe: Probe, target: Target, clock: Clock, life: AbortSignal): Promise<Verdict> {
  const timeout = (probe.timeoutSeconds ?? 1) * 1_000;
  const stop = new AbortController();
  const deadline = new Deadline(clock, timeout);
  const end = () => stop.abort();
  life.addEventListener("abort", end, { once: true });
  try {
    const look = lookOnce(probe, target, stop.signal);
    const late = deadline.passed.then(() => tooLate(probe, target, timeout));
    return await Promise.race([look, late]);
  } catch (error) {
    return failure(textOf(error));
  } finally {
    deadline.cancel();
    life.removeEventListener("abort", end);
    stop.abort();
  }
}

function lookOnce(probe: Probe, target: Target, signal: AbortSignal): Promise<Verdict> {
  const { httpGet, tcpSocket, exec, grpc } = probe;
  if (httpGet !== undefined) return getOnce(httpGet, target, signal).then(httpVerdict);
  if (tcpSocket !== undefined) return reach(placeOf(tcpSocket, target), signal);
  if (grpc !== undefined) return checkHealth(target.address(grpc.port), grpc.service ?? "", signal);
  if (exec !== undefined) return command(exec.command ?? [], target, signal);
  return Promise.reject(new Error("the probe has no handler; give it httpGet, tcpSocket, grpc or exec"));
}

function failure(message: string): Verdict {
  return { is: "failure", message };
}

function tooLate(probe: Probe, target: Target, timeout: Ms): Verdict {
  const { httpGet, tcpSocket, grpc, exec } = probe;
  if (httpGet !== undefined)
    return failure(
      `Get "${urlOf(httpGet, target)}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
  if (tcpSocket !== undefined) return failure(`dial tcp ${joined(placeOf(tcpSocket, target))}: i/o timeout`);
  if (grpc !== undefined) return failure(`timeout: health rpc did not complete within ${timeout / 1_000}s`);
  return failure(`command timed out: "${(exec?.command ?? []).join(" ")}" timed out after ${timeout / 1_000}s`);
}

interface Place {
  readonly host: string;
  readonly port: number;
}

/** A host that is named means just that; otherwise it is the pod. */
function placeOf({ host, port }: { readonly host?: string; readonly port: number | string }, target: Target): Place {
  if (!host) return target.address(port);
  return { host, port: typeof port === "number" ? port : target.address(port).port };
}

function joined({ host, port }: Place): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function urlOf(get: HttpGet, target: Target): string {
  const path = get.path ?? "/";
  return `${get.scheme === "HTTPS" ? "https" : "http"}://${joined(placeOf(get, target))}${path.startsWith("/") ? "" : "/"}${path}`;
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

const mostRedirects = 10;
const longestBody = 10_240;

/** A GET that follows redirects within the same host. */
export async function getOnce(get: HttpGet, target: Target, signal: AbortSignal): Promise<Answer> {
  const first = new URL(urlOf(get, target));
  let url = first;
  for (let step = 0; step < mostRedirects; step += 1) {
    const response = await send(url, get, signal).catch((error: unknown) => {
      throw new Error(`Get "${url.href}": ${dialProblem(error, url)}`);
    });
    const { statusCode: status = 0, headers } = response;
    const next = status >= 300 && status < 400 && headers.location ? URL.parse(headers.location, url.href) : null;
    if (next === null || next.hostname !== first.hostname) return { status, body: await bodyOf(response) };
    response.destroy();
    url = next;
  }
  throw new Error(`Get "${url.href}": stopped after ${mostRedirects} redirects`);
}

function send(url: URL, { httpHeaders = [] }: HttpGet, signal: AbortSignal): Promise<IncomingMessage> {
  const headers: Record<string, string[]> = { "user-agent": ["kube-probe/1.36"], accept: ["*/*"] };
  for (const name of new Set(httpHeaders.map((header) => header.name.toLowerCase())))
    headers[name] = httpHeaders.filter((header) => header.name.toLowerCase() === name).map(({ value }) => value);
  const { host: [host] = [], ...rest } = headers;
  const options = { agent: false as const, signal, headers: { ...rest, ...(host === undefined ? {} : { host }) } };
  return new Promise((resolve, reject) => {
    const sent =
      url.protocol === "https:"
        ? httpsRequest(url, { ...options, rejectUnauthorized: false })
        : httpRequest(url, options);
    sent.once("response", resolve).once("error", reject).end();
  });
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  let body = "";
  try {
    for await (const chunk of response) {
      body += String(chunk);
      if (body.length >= longestBody) break;
    }
  } finally {
    response.destroy();
  }
  return body.slice(0, longestBody);
}

function httpVerdict({ status, body }: Answer): Verdict {
  if (status >= 300 && status < 400)
    return { is: "success", warning: `Probe terminated redirects, Response body: ${body}` };
  return status >= 200 && status < 400 ? { is: "success" } : failure(`HTTP probe failed with statuscode: ${status}`);
}

function reach(place: Place, signal: AbortSignal): Promise<Verdict> {
  return new Promise((resolve) => {
    const socket = connect({ ...place, signal });
    socket.once("connect", () => {
      socket.destroy();
      resolve({ is: "success" });
    });
    socket.once("error", (error) => resolve(failure(dialProblem(error, place))));
  });
}

/** The texts of the system that people search for. */
const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  ECONNRESET: "read: connection reset by peer",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "i/o timeout",
  ENOTFOUND: "lookup failed: no such host",
};

function dialProblem(
  error: unknown,
  { hostname, host, port }: { hostname?: string; host: string; port: number | string },
) {
  const known = problems[codeOf(error) ?? ""];
  return known === undefined ? textOf(error) : `dial tcp ${hostname ?? host}:${port || 80}: ${known}`;
}

async function command(argv: readonly string[], target: Target, signal: AbortSignal): Promise<Verdict> {
  const { exitCode, output } = await target.run(argv, signal);
  return exitCode === 0 ? { is: "success" } : failure(output);
}
