// What a guest is given, from the spec and from Secrets.
import { describe, expect, it } from "vitest";
import { customizeJson } from "./clone.ts";
import { type Rendered, renderMetaData, renderUserData } from "./user-data.ts";

const secrets =
  (data: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  (name: string): Record<string, string> | undefined => {
    const found = data[name];
    if (found === undefined) return undefined;
    const encoded = Object.entries(found).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
    return Object.fromEntries(encoded);
  };
const none = secrets({});
const said = (rendered: Rendered) => (rendered.is === "rendered" ? rendered.content.reveal() : rendered);

describe("user data", () => {
  it("inline alone is sent as it is", () => {
    expect(said(renderUserData({ cloudInit: { inline: "#cloud-config\n" } }, none))).toBe("#cloud-config\n");
  });

  it.each(["userdata", "user-data", "cloud-init", "cloud-config"])("the key %s of a Secret is taken", (key) => {
    const read = secrets({ s: { [key]: "x", other: "y" } });
    expect(said(renderUserData({ cloudInit: { secretRef: { name: "s" } } }, read))).toBe("x");
  });

  it("of several keys the first in the list counts", () => {
    const read = secrets({ s: { "cloud-config": "later", "user-data": "first" } });
    expect(said(renderUserData({ cloudInit: { secretRef: { name: "s" } } }, read))).toBe("first");
  });

  it("S15 a Secret without a known key: the accepted ones are named, and nothing of what is in it", () => {
    const read = secrets({ s: { foo: "canary" } });
    const rendered = renderUserData({ cloudInit: { secretRef: { name: "s" } } }, read);
    expect(rendered).toEqual({
      is: "lacking",
      what: "Secret s has none of the keys userdata, user-data, cloud-init, cloud-config",
    });
  });

  it("a Secret that is not there is named", () => {
    expect(renderUserData({ cloudInit: { secretRef: { name: "s" } } }, none)).toEqual({
      is: "lacking",
      what: "Secret s not found",
    });
  });

  it("both: one document, inline first", () => {
    const read = secrets({ s: { userdata: "b: 2" } });
    const document = said(renderUserData({ cloudInit: { inline: "a: 1", secretRef: { name: "s" } } }, read));
    expect(document).toBe(
      [
        'Content-Type: multipart/mixed; boundary="VIRTRIGAUD_CLOUD_INIT_BOUNDARY"',
        "MIME-Version: 1.0",
        "",
        "--VIRTRIGAUD_CLOUD_INIT_BOUNDARY",
        'Content-Type: text/cloud-config; charset="utf-8"',
        "MIME-Version: 1.0",
        "",
        "a: 1",
        "--VIRTRIGAUD_CLOUD_INIT_BOUNDARY",
        'Content-Type: text/cloud-config; charset="utf-8"',
        "MIME-Version: 1.0",
        "",
        "b: 2",
        "--VIRTRIGAUD_CLOUD_INIT_BOUNDARY--",
        "",
      ].join("\n"),
    );
  });

  it("a part that contains the boundary gets another", () => {
    const read = secrets({ s: { userdata: "--VIRTRIGAUD_CLOUD_INIT_BOUNDARY-- VIRTRIGAUD_1_BOUNDARY" } });
    const document = said(renderUserData({ cloudInit: { inline: "a: 1", secretRef: { name: "s" } } }, read));
    expect(String(document).split("\n")[0]).toContain('boundary="VIRTRIGAUD_2_BOUNDARY"');
  });

  it("Ignition is sent as it is, from one place only", () => {
    const read = secrets({ s: { ignition: '{"b":1}' } });
    expect(said(renderUserData({ ignition: { inline: '{"a":1}' } }, none))).toBe('{"a":1}');
    expect(said(renderUserData({ ignition: { secretRef: { name: "s" } } }, read))).toBe('{"b":1}');
    expect(renderUserData({ ignition: { inline: "{}", secretRef: { name: "s" } } }, read).is).toBe("lacking");
  });

  it("none asked for is none", () => {
    expect(renderUserData(undefined, none)).toEqual({ is: "none" });
    expect(renderUserData({ cloudInit: {} }, none)).toEqual({ is: "none" });
  });

  it("what is rendered does not print", () => {
    const rendered = renderUserData({ cloudInit: { inline: "canary" } }, none);
    expect(JSON.stringify(rendered)).not.toContain("canary");
    expect(`${rendered.is === "rendered" ? rendered.content : ""}`).toBe("[secret]");
  });
});

it.each(["metadata", "meta-data", "meta_data"])("metadata: the key %s, joined by a newline", (key) => {
  const read = secrets({ s: { [key]: "b: 2" } });
  expect(said(renderMetaData({ cloudInit: { inline: "a: 1", secretRef: { name: "s" } } }, read))).toBe("a: 1\nb: 2");
});

describe("the customization of a clone", () => {
  it("has its Secrets resolved", () => {
    const read = secrets({ s: { password: "pw", "tls.crt": "pem", userdata: "u" } });
    const made = customizeJson(
      {
        hostname: "h",
        userData: { cloudInit: { secretRef: { name: "s" } } },
        certificates: [{ name: "c", secretRef: { name: "s" }, store: "root" }],
        sysprep: {
          enabled: true,
          adminPassword: { secretRef: { name: "s" } },
          joinDomain: { domain: "d", username: "u", password: { value: "plain" } },
        },
      },
      read,
    );
    if ("lacking" in made) throw new Error(made.lacking);
    expect(JSON.parse(made.json.reveal())).toEqual({
      hostname: "h",
      userData: { cloudInit: { inline: "u" } },
      certificates: [{ name: "c", store: "root", data: "pem" }],
      sysprep: {
        enabled: true,
        adminPassword: { value: "pw" },
        joinDomain: { domain: "d", username: "u", password: { value: "plain" } },
      },
    });
    expect(JSON.stringify(made)).not.toContain("pw");
  });

  it("names the key that lacks", () => {
    const made = customizeJson({ sysprep: { adminPassword: { secretRef: { name: "s" } } } }, secrets({ s: {} }));
    expect(made).toEqual({ lacking: "Secret s has no key password" });
  });
});
