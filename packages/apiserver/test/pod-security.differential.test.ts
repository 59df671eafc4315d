// Defaults and exemptions of PodSecurity on a real kube-apiserver with the same settings: it must answer and note as recorded.
// With TELLTALE_RECORD=v1.36 what it answers is recorded anew instead.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request as open } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep, systemClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assetsFor, type ControlPlane, startControlPlane } from "../../../tools/envtest/envtest.ts";
import {
  type Answer,
  messageOf,
  ownAnnotations,
  type Request,
  requests,
  settings,
  warningTexts,
} from "./pod-security.ts";

const assets = assetsFor("PodSecurity with defaults and exemptions");
const fixture = new URL("fixtures/pod-security.json", import.meta.url);

describe.skipIf(assets === undefined)("a real kube-apiserver", () => {
  let folder: string;
  let plane: ControlPlane;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "telltale-pod-security-"));
    const configuration = { apiVersion: "pod-security.admission.config.k8s.io/v1", kind: "PodSecurityConfiguration" };
    const files = {
      admission: {
        apiVersion: "apiserver.config.k8s.io/v1",
        kind: "AdmissionConfiguration",
        plugins: [{ name: "PodSecurity", configuration: { ...configuration, ...settings } }],
      },
      policy: {
        apiVersion: "audit.k8s.io/v1",
        kind: "Policy",
        omitStages: ["RequestReceived"],
        rules: [{ level: "Metadata" }],
      },
    };
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(content));
    plane = await startControlPlane({
      assets: assets ?? "",
      tokens: ["trustedtoken,trusted,trusted,system:masters"],
      apiserverFlags: [
        `--admission-control-config-file=${join(folder, "admission.json")}`,
        `--audit-policy-file=${join(folder, "policy.json")}`,
        `--audit-log-path=${join(folder, "audit.log")}`,
      ],
    });
  });
  afterAll(async () => {
    await plane?.stop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  test("answers and notes as recorded", async () => {
    const agent = new Agent({ ca: plane.ca, keepAlive: true });
    const answers: Answer[] = [];
    for (const asked of requests) {
      const { auditId, ...answer } = await ask(plane, agent, asked);
      if (asked.prepares !== true) answers.push({ ...answer, annotations: await noted(auditId) });
      // Namespaces and classes are known to its admission a moment later.
      else await sleep(systemClock, 300 as Ms);
    }
    agent.destroy();
    if (process.env["TELLTALE_RECORD"] === undefined)
      expect(answers.map(unordered)).toEqual((JSON.parse(readFileSync(fixture, "utf8")) as Answer[]).map(unordered));
    else writeFileSync(fixture, `${JSON.stringify(answers, null, 2)}\n`);
  });

  async function noted(auditId: string): Promise<Record<string, string>> {
    for (let tries = 0; ; tries++) {
      const line = readFileSync(join(folder, "audit.log"), "utf8")
        .split("\n")
        .find((it) => it.includes(auditId));
      if (line !== undefined)
        return ownAnnotations((JSON.parse(line) as { annotations?: Record<string, string> }).annotations ?? {});
      if (tries === 100) throw new Error(`the audit log says nothing of ${auditId}`);
      await sleep(systemClock, 50 as Ms);
    }
  }
});

/** The real server warns of the keys of a map in any order. */
const unordered = (answer: Answer): Answer => ({ ...answer, warnings: [...answer.warnings].sort() });

function ask(
  { url, token }: ControlPlane,
  agent: Agent,
  { title, method, path, user, body }: Request,
): Promise<Omit<Answer, "annotations"> & { readonly auditId: string }> {
  const { hostname, port } = new URL(url);
  const headers = {
    authorization: `Bearer ${user === undefined ? token : `${user}token`}`,
    "content-type": method === "POST" ? "application/json" : "application/merge-patch+json",
  };
  return new Promise((resolve, reject) => {
    const sent = open({ agent, method, hostname, port, path, headers }, async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      const status = answer.statusCode ?? 0;
      const warnings: string[] = [];
      for (let i = 0; i < answer.rawHeaders.length; i += 2)
        if (answer.rawHeaders[i]?.toLowerCase() === "warning") warnings.push(answer.rawHeaders[i + 1] ?? "");
      const auditId = String(answer.headers["audit-id"]);
      resolve({ title, status, message: messageOf(status, text), warnings: warningTexts(warnings), auditId });
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
