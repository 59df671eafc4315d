// Defaults and exemptions of PodSecurity, and what it notes for the audit: as recorded from a real kube-apiserver.
import { readFileSync } from "node:fs";
import { seededRandom, VirtualClock } from "@telltale/clock";
import type { Ms } from "@telltale/kinds";
import { afterEach, expect, test } from "vitest";
import { type ApiServer, type AuditEvent, startApiServer } from "../src/index.ts";
import type { JsonObject } from "../src/json.ts";
import { settingsFrom } from "../src/pod-security/settings.ts";
import { type Answer, messageOf, ownAnnotations, requests, settings, warningTexts } from "./pod-security.ts";

let server: ApiServer | undefined;
afterEach(() => server?.stop());

const recorded = JSON.parse(
  readFileSync(new URL("fixtures/pod-security.json", import.meta.url), "utf8"),
) as readonly Answer[];

test("pods, templates and namespaces are judged by the defaults, unless they are exempt", async () => {
  let noted: AuditEvent | undefined;
  server = await startApiServer({
    listen: false,
    clock: new VirtualClock(),
    random: seededRandom(1),
    podSecurity: settings,
    audit: (event) => {
      noted = event;
    },
  });
  const answers: Answer[] = [];
  for (const { title, method, path, user, body, prepares } of requests) {
    noted = undefined;
    const {
      status,
      headers,
      body: answer,
    } = await server.client({
      method,
      path,
      headers: { "content-type": method === "POST" ? "application/json" : "application/merge-patch+json" },
      body: JSON.stringify(body),
      user: { username: user ?? "admin", uid: "", groups: ["system:masters"], extra: {} },
    });
    const event = noted as AuditEvent | undefined;
    if (event !== undefined) expect(event).toMatchObject({ requestURI: path, user: user ?? "admin", code: status });
    if (prepares === true) continue;
    answers.push({
      title,
      status,
      message: messageOf(status, answer),
      warnings: warningTexts(headers["warning"]),
      annotations: ownAnnotations(event?.annotations ?? {}),
    });
  }
  expect(answers).toEqual(recorded);
});

test("settings that cannot be read are refused before anything starts, all of them named", async () => {
  const wrong = { defaults: { enforce: "strict", "warn-version": "1.30" } };
  await expect(startApiServer({ listen: false, podSecurity: wrong })).rejects.toThrow(
    'pod security: defaults.enforce: Invalid value: "strict": must be one of privileged, baseline, restricted; ' +
      'defaults.warn-version: Invalid value: "1.30": must be "latest" or "v1.x"',
  );
});

test.each([
  [{ default: {} }, "pod security: default: unknown field; use defaults and exemptions"],
  [{ exemptions: [] }, "pod security: exemptions: must be an object"],
  [
    { exemptions: { users: [] } },
    "pod security: exemptions.users: unknown field; use usernames, namespaces, runtimeClasses",
  ],
  [{ exemptions: { usernames: "me" } }, "pod security: exemptions.usernames: must be a list of texts"],
  [{ defaults: { enforce: 1 } }, "pod security: defaults.enforce: must be a text"],
])("a file of settings with %j is refused", (configuration, message) => {
  expect(() => settingsFrom(configuration as JsonObject)).toThrow(message);
});

test("a file of settings is taken as kube-apiserver takes it", () => {
  const configuration = { kind: "PodSecurityConfiguration", ...settings } as unknown as JsonObject;
  expect(settingsFrom(configuration)).toMatchObject(settings);
});

test("without settings every namespace lets every pod in, and that is noted", async () => {
  const events: AuditEvent[] = [];
  server = await startApiServer({ listen: false, audit: (event) => events.push(event) });
  const { status } = await server.client({
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      metadata: { name: "p" },
      spec: { hostPID: true, containers: [{ name: "c", image: "i", securityContext: { privileged: true } }] },
    }),
  });
  expect(status).toBe(201);
  expect(events.map((event) => event.annotations)).toEqual([
    { "pod-security.kubernetes.io/enforce-policy": "privileged:latest" },
  ]);
});

test("a namespace's new level is checked against its pods for a second, and what was not checked is said", async () => {
  let step = 0;
  class SlowClock extends VirtualClock {
    #spent = 0;
    override uptime(): Ms {
      this.#spent += step;
      return super.uptime() + this.#spent;
    }
  }
  server = await startApiServer({ listen: false, clock: new SlowClock() });
  const { client } = server;
  const send = (method: string, path: string, body: JsonObject) =>
    client({ method, path, headers: { "content-type": contentTypes[method] ?? "" }, body: JSON.stringify(body) });
  const spec = { hostPID: true, containers: [{ name: "c", image: "i" }] };
  for (let i = 0; i < 9; i += 1)
    await send("POST", "/api/v1/namespaces/default/pods", { metadata: { name: `p${i}` }, spec });
  const relabel = async (enforce: string) => {
    const labels = { "pod-security.kubernetes.io/enforce": enforce };
    const answer = await send("PATCH", "/api/v1/namespaces/default?dryRun=All", { metadata: { labels } });
    return warningTexts(answer.headers["warning"]);
  };
  const violated = 'existing pods in namespace "default" violate the new PodSecurity enforce level "baseline:latest"';
  expect(await relabel("baseline")).toEqual([violated, "p0 (and 8 other pods): host namespaces"]);
  step = 300; // of each look at the time, the first of them before any pod
  expect(await relabel("baseline")).toEqual([
    "new PodSecurity enforce level only checked against the first 4 of 9 existing pods",
    violated,
    "p0 (and 3 other pods): host namespaces",
  ]);
});

const contentTypes: Readonly<Record<string, string>> = {
  POST: "application/json",
  PATCH: "application/merge-patch+json",
};
