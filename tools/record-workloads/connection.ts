// Requests to a real control plane over kept connections, and watches.
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { createInterface } from "node:readline";
import type { Answer, Change } from "../../packages/workloads/test/golden/environment.ts";
import { at, isObject, type JsonObject, parse, text } from "../../packages/workloads/test/golden/json.ts";
import type { ControlPlane } from "../envtest/envtest.ts";

export interface Connection {
  send(method: string, path: string, body?: string, contentType?: string): Promise<Answer>;
  /** Tells every change of a watch until the signal is raised. Fails when the watch ends before. */
  follow(path: string, signal: AbortSignal, see: (type: Change["type"], object: JsonObject) => void): Promise<void>;
  close(): void;
}

export function connect({ url, token, ca }: Pick<ControlPlane, "url" | "token" | "ca">): Connection {
  const agent = new Agent({ keepAlive: true, ca });
  const open = (method: string, path: string, body?: string, contentType?: string, signal?: AbortSignal) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
        // Node.js says no length of its own for a DELETE, and the body would be taken for the next request.
        ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }),
      };
      const options = { method, agent, headers, ...(signal === undefined ? {} : { signal }) };
      request(`${url}${path}`, options, resolve).once("error", reject).end(body);
    });
  return {
    async send(method, path, body, contentType) {
      const answer = await open(method, path, body, contentType);
      const chunks: Buffer[] = [];
      for await (const chunk of answer) chunks.push(chunk);
      return { status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() };
    },
    async follow(path, signal, see) {
      try {
        const answer = await open("GET", path, undefined, undefined, signal);
        for await (const line of createInterface(answer)) {
          const said = parse(line);
          const object = at(said, "object");
          const type = text(said, "type");
          if (!isObject(object) || !isChange(type)) throw new Error(line);
          see(type, object);
        }
        throw new Error("it was closed");
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    },
    close: () => agent.destroy(),
  };
}

const isChange = (type: string): type is Change["type"] => ["ADDED", "MODIFIED", "DELETED"].includes(type);
