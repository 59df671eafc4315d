import { expect, test } from "vitest";
import { nameserverOf } from "../build/index.ts";
import type { Bind9InstanceSpec } from "../kinds/index.ts";
import { type KeySource, keySourceOf, signingProblem } from "./signing-keys.ts";

const by = (keys: KeySource) => ({ policy: "default", keys });
const secret = (name: string) => by({ kind: "secret", name });
const claim = by({ kind: "claim" });
const pod = by({ kind: "pod" });

test("a zone is signed where its keys are shared by all primaries and outlive each pod", () => {
  expect(signingProblem([undefined, undefined])).toBeUndefined();
  expect(signingProblem([claim])).toBeUndefined();
  expect(signingProblem([secret("bindy-keys"), secret("bindy-keys")])).toBeUndefined();
});

test("a zone is refused where a primary would make keys that are lost with its pod", () => {
  const said =
    "signs the zone, but the keys would be lost with the pod: enable dnssec.signing with keysFrom.secretRef on its servers, or set it to none";
  expect(signingProblem([pod])).toBe(said);
  expect(signingProblem([secret("bindy-keys"), pod])).toBe(said);
});

test("a zone is refused where its primaries would have different keys", () => {
  const said =
    "signs the zone, but each primary instance would have keys of its own: enable dnssec.signing with keysFrom.secretRef on its servers, or set it to none";
  expect(signingProblem([claim, claim])).toBe(said);
  expect(signingProblem([secret("bindy-a"), secret("bindy-b")])).toBe(said);
  expect(signingProblem([secret("bindy-a"), claim])).toBe(said);
  expect(signingProblem([secret("bindy-a"), undefined])).toBe(
    "signs the zone on 1 of 2 primary instances: enable dnssec.signing on all of them, or set it to none",
  );
});

test("keys come from the Secret only where signing is enabled: elsewhere it is not mounted", () => {
  const source = (spec: object) =>
    keySourceOf(nameserverOf({ name: "x", namespace: "dns" }, { role: "primary", ...spec } as Bind9InstanceSpec));
  const keysFrom = { secretRef: { name: "bindy-keys" } };
  const storage = { storageType: "persistentVolumeClaim", persistentVolumeClaim: { claimName: "cache" } };
  expect(source({ config: { dnssec: { signing: { enabled: true, keysFrom } } } })).toEqual({
    kind: "secret",
    name: "bindy-keys",
  });
  expect(source({ config: { dnssec: { signing: { keysFrom } } } })).toEqual({ kind: "pod" });
  expect(source({ storage })).toEqual({ kind: "claim" });
  expect(source({})).toEqual({ kind: "pod" });
});
