import { describe, expect, it } from "vitest";
import { s3Credentials, storageOptionsJson } from "./storage.ts";

describe("storage", () => {
  it("options", () => {
    const s3 = { bucket: "b", credentialsSecretRef: { name: "s" } };
    expect(JSON.parse(storageOptionsJson({ type: "s3", s3 }))).toEqual({
      backend: "s3",
      bucket: "b",
      endpoint: "",
      region: "",
      prefix: "",
      usePathStyle: false,
    });
    const nfs = { server: "n", export: "/e", uid: 0, gid: 5 };
    expect(JSON.parse(storageOptionsJson({ type: "nfs", nfs }))).toEqual({
      backend: "nfs",
      server: "n",
      export: "/e",
      path: "",
      uid: 0,
      gid: 5,
    });
    expect(storageOptionsJson({ type: "pvc", pvc: { name: "c" } })).toBe("");
  });

  it("credentials name what lacks, and not what is there", () => {
    const base64 = (value: string) => Buffer.from(value).toString("base64");
    expect(s3Credentials("s", { accessKeyID: base64("a"), secretAccessKey: base64("b"), other: base64("c") })).toEqual({
      accessKeyID: "a",
      secretAccessKey: "b",
    });
    expect(s3Credentials("s", { accessKeyID: base64("canary") })).toEqual({
      lacking: "Secret s has no secretAccessKey",
    });
  });
});
