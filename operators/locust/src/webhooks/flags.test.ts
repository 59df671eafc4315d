import { describe, expect, test } from "vitest";
import { webhookSettings } from "./flags.ts";

const off = { settings: { serve: "nothing" } };

describe("the flags of webhooks", () => {
  test.each([
    ["no flag", {}],
    ["an empty flag", { "--enable-webhooks": "" }],
    ["false", { "--enable-webhooks": "false" }],
    ["a certificate alone", { "--webhook-cert-path": "/certs" }],
  ])("%s leaves them off", (_name, flags) => {
    expect(webhookSettings(flags)).toEqual(off);
  });

  test("true serves them with the certificate of a directory, under the usual names", () => {
    expect(webhookSettings({ "--enable-webhooks": "true", "--webhook-cert-path": "/certs" })).toEqual({
      settings: { serve: "webhooks", folder: "/certs", cert: "tls.crt", key: "tls.key", wait: 120_000 },
    });
  });

  test("names and the time to wait can be given, and zero is for ever", () => {
    const flags = {
      "--enable-webhooks": "true",
      "--webhook-cert-path": "/certs",
      "--webhook-cert-name": "cert.pem",
      "--webhook-cert-key": "key.pem",
      "--webhook-cert-wait-timeout": "0",
    };
    expect(webhookSettings(flags)).toMatchObject({ settings: { cert: "cert.pem", key: "key.pem", wait: 0 } });
  });

  test("without a directory they cannot be served", () => {
    expect(webhookSettings({ "--enable-webhooks": "true" })).toEqual({
      errors: [
        "--webhook-cert-path is missing: name the directory with the certificate, or leave --enable-webhooks out",
      ],
    });
  });

  test("a mistyped value is an error, not a yes, and all errors are told together", () => {
    const flags = { "--enable-webhooks": "yes", "--webhook-cert-wait-timeout": "2 minutes" };
    expect(webhookSettings(flags)).toEqual({
      errors: [
        '--enable-webhooks "yes" is no boolean: set it to true or false',
        '--webhook-cert-wait-timeout "2 minutes" is no duration: set it to a duration as in 30s or 2m, or to 0 to wait for ever',
      ],
    });
    expect(webhookSettings({ "--webhook-cert-wait-timeout": "-1s" })).toHaveProperty("errors");
  });
});
