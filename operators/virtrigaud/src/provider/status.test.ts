import { formatTime, instant, plus } from "@telltale/kinds";
import type { Deployment } from "@telltale/kinds/builtin";
import { draft, text } from "@telltale/status";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Provider } from "../kinds/index.ts";
import type { Probed } from "./probe.ts";
import { standardProviderSettings } from "./settings.ts";
import { status } from "./status.ts";
import type { Made, Wanted, World } from "./world.ts";

const now = instant(Date.UTC(2026, 0, 1));

const wanted = fc.constantFrom<Wanted>(
  { is: "deployed" },
  { is: "external", endpoint: "10.0.0.7:9443" },
  { is: "invalid", reason: "MissingRuntime", said: text`runtime configuration is required` },
  { is: "invalid", reason: "InvalidConfiguration", said: text`a field` },
  { is: "invalid", reason: "CredentialsNotFound", said: text`credentials Secret c not found` },
  { is: "invalid", reason: "TLSNotConfigured", said: text`TLS configuration required` },
);

const condition = { type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" };
const deployment = fc.constantFrom<Deployment | undefined>(
  undefined,
  { apiVersion: "apps/v1", kind: "Deployment" },
  { apiVersion: "apps/v1", kind: "Deployment", status: { readyReplicas: 2, availableReplicas: 1 } },
  { apiVersion: "apps/v1", kind: "Deployment", status: { conditions: [condition] } },
  { apiVersion: "apps/v1", kind: "Deployment", status: { readyReplicas: 1, conditions: [condition] } },
);

const made = fc.constantFrom<Made>(
  {},
  { postponed: 2 },
  { refused: { reason: "ServiceError", said: text`no` } },
  { refused: { reason: "DeploymentError", said: text`no` } },
);

const abilities = fc.constantFrom<Probed["abilities"]>(
  undefined,
  { at: now, pods: "p", known: { reported: { supportsSnapshots: true }, totals: { cpu: 8 } } },
  { at: now, pods: "p", trouble: text`it said nothing` },
);

const probed = fc.record({
  is: fc.constantFrom("well", "unwell", "unreachable"),
  verdict: fc.constantFrom("good", "bad"),
  against: fc.nat({ max: 3 }),
  abilities,
});

const stored = fc.constantFrom<Provider["status"]>(
  undefined,
  {},
  { healthy: true, runtime: { phase: "Running" } },
  { healthy: false, runtime: { phase: "Failed" }, observedGeneration: 1, resourceUsage: { cpu: { total: 4 } } },
);

const world = fc
  .record({
    wanted,
    deployment,
    made,
    stored,
    probed: fc.option(probed, { nil: undefined }),
    isAsked: fc.boolean(),
    tls: fc.constantFrom(undefined, { enabled: false }, { enabled: true }, { secretRef: { name: "t" } }),
    hasRuntime: fc.boolean(),
  })
  .map((it): World => {
    const spec = {
      type: "qemu",
      endpoint: "tcp://127.0.0.1:9443",
      credentialSecretRef: { name: "c" },
      healthCheck: { enabled: it.isAsked },
      // A definition of an older installation may let a spec without it through (L-34).
      ...(it.hasRuntime
        ? { runtime: { image: "p:1", service: { ...(it.tls === undefined ? {} : { tls: it.tls }) } } }
        : {}),
    } as Provider["spec"];
    const { is, verdict, against, abilities: told } = it.probed ?? { is: "well", verdict: "good", against: 0 };
    const value = { at: now, answer: { is, said: text`said` }, verdict: { verdict, against }, interval: 30_000 };
    return {
      it: {
        apiVersion: Provider.apiVersion,
        kind: Provider.kind,
        metadata: { name: "box", namespace: "demo", uid: "u", generation: 2, creationTimestamp: formatTime(now) },
        spec,
        ...(it.stored === undefined ? {} : { status: it.stored }),
      },
      wanted: it.wanted,
      deployment: it.deployment,
      service: undefined,
      claims: [],
      transfers: [],
      pods: "p",
      machines: { count: 1, used: { cpu: 1, memory: 1, storage: 1 }, hasConsole: false },
      probed:
        it.probed === undefined
          ? undefined
          : { value: { ...value, ...(told === undefined ? {} : { abilities: told }) } as Probed, failures: 0, at: now },
      made: it.made,
    };
  });

test("every world has a status that keeps the rules, and the same world says the same again", () => {
  fc.assert(
    fc.property(world, fc.boolean(), (seen, legacyProviderConditions) => {
      const settings = { ...standardProviderSettings, legacyProviderConditions };
      const first = draft(Provider, seen.it, now, { strict: true });
      status(seen, first, now, settings);
      const said = first.finish().status;
      const ready = said.conditions?.find(({ type }) => type === "Ready");
      const runtime = said.conditions?.find(({ type }) => type === "RuntimeReady");
      if (ready?.status === "True") expect(runtime?.status).toBe("True");
      if (runtime?.status === "False") expect(ready?.reason).toBe(runtime.reason);
      const it = { ...seen.it, status: said };
      const second = draft(Provider, it, plus(now, 5_000), { strict: true });
      status({ ...seen, it }, second, plus(now, 5_000), settings);
      expect(second.finish().changed).toBe(false);
    }),
    { numRuns: 400 },
  );
});
