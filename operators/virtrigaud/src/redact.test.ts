import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bareUrl, isSecretName, redact } from "./redact.ts";

const canary = "Zk3vQ9pLx7Rt2WmB5nYc8Dh";

describe("7.5 what a provider said", () => {
  test.each([
    ["an account in a URL", `qemu+ssh://root:${canary}@box/system refused`, "qemu+ssh://[redacted]@box/system refused"],
    ["a password", `login failed: password=${canary} rejected`, "login failed: password=[redacted] rejected"],
    ["an API key", `api-key: ${canary}`, "api-key: [redacted]"],
    ["a token in JSON", `{"token":"${canary}"}`, '{"token":[redacted]}'],
    ["user data", `bad user_data: "#cloud-config\npassword: ${canary}"`, "bad [redacted]"],
    ["cloud-config without a name", `cannot parse #cloud-config\nusers: [${canary}]`, "cannot parse [redacted]"],
    ["a public SSH key", `no ssh-ed25519 ${canary}AAAA me@host`, "no [redacted] me@host"],
    ["base64", `payload ${btoa(`${canary} and more`)} refused`, "payload [redacted] refused"],
    ["letters of base64", "payload aGVsbG9oZWxsb2hlbGxvaGVsbG8 refused", "payload [redacted] refused"],
    ["a signed query", `GET https://b.example/x.qcow2?sig=${canary}: 403`, "GET https://b.example/x.qcow2 403"],
    ["an error", new Error(`pwd=${canary}`), "pwd=[redacted]"],
  ])("loses %s, and nothing else", (_, said, shown) => {
    expect(redact(said)).toBe(shown);
  });

  test.each([
    "quota exceeded for cpu",
    "open /var/lib/libvirt/images/tiny20240101.qcow2: no such file or directory",
    "ProgressDeadlineExceeded of a VirtualMachineSnapshot",
    "metadata: missing",
    "pvc://claim/vmmigrations/demo/move-web/export-1.qcow2 not found",
  ])("keeps %s", (said) => {
    expect(redact(said)).toBe(said);
  });

  test("is one line of at most 1024 characters, the same for the same trouble", () => {
    expect(redact(`no\nroom ${"x ".repeat(2000)}`)).toHaveLength(1024);
    const of = (id: string) => redact(`request id=${id} at 2026-01-01T00:00:00Z failed`);
    expect(of("5f3759df-1234-4123-8123-123456789012")).toBe(of("00000000-1234-4123-8123-123456789012"));
  });

  test("of any length and kind ends in a text, also where a secret lies across the cut", () => {
    expect(redact(`${"y ".repeat(500)}password=${canary}`)).not.toContain(canary.slice(0, 8));
    fc.assert(
      fc.property(fc.anything(), fc.string({ unit: "binary" }), (value, words) => {
        expect(redact(value).length).toBeLessThanOrEqual(1024);
        expect(redact(words).length).toBeLessThanOrEqual(1024);
      }),
      { numRuns: 60, seed: 1 },
    );
  });
});

test("7.5 of a URL scheme, host and path may be stored", () => {
  expect(bareUrl("https://user:pw@b.example:8443/a/b?sig=1#x")).toBe("https://b.example:8443/a/b");
  expect(bareUrl("s3://bucket/a/b")).toBe("s3://bucket/a/b");
  expect(bareUrl("no url")).toBeUndefined();
});

test("7.5 names that say that their value is secret", () => {
  expect(["rootPassword", "API_TOKEN", "secretId", "sshkey", "Credentials"].every(isSecretName)).toBe(true);
  expect(["host", "uuid", "power_state_raw"].some(isSecretName)).toBe(false);
});
