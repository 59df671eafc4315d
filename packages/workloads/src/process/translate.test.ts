import { describe, expect, it } from "vitest";
import { translator } from "./translate.ts";

const translate = translator(
  new Map([
    ["/data", "/real/volumes/data"],
    ["/data/nested", "/real/volumes/nested"],
    ["/etc/my.app", "/real/volumes/app"],
    ["/", "/never"],
  ]),
);

describe("a mounted path in a text", () => {
  it.each([
    ["/data", "/real/volumes/data"],
    ["/data/", "/real/volumes/data/"],
    ["/data/x.json", "/real/volumes/data/x.json"],
    ["--dir=/data/x", "--dir=/real/volumes/data/x"],
    ["/bin:/data:/usr", "/bin:/real/volumes/data:/usr"],
    [
      "cat /data/a > '/data/b' && echo \"/data\"",
      "cat /real/volumes/data/a > '/real/volumes/data/b' && echo \"/real/volumes/data\"",
    ],
    ["cat</data/a;rm /data/b", "cat</real/volumes/data/a;rm /real/volumes/data/b"],
    ["/data/nested/x", "/real/volumes/nested/x"],
    ["/data/nestedness", "/real/volumes/data/nestedness"],
    ["/etc/my.app/conf", "/real/volumes/app/conf"],
    ["curl -d @/data/body", "curl -d @/real/volumes/data/body"],
  ])("%s becomes %s", (text, wanted) => {
    expect(translate(text)).toBe(wanted);
  });

  it.each([
    "/database",
    "/data.json",
    "/data-old",
    "/mydata",
    "/srv/data",
    "http://host/data",
    "-f/data",
    "/etc/myxapp",
    "/",
  ])("%s stays as it is", (text) => {
    expect(translate(text)).toBe(text);
  });

  it("is not translated twice", () => {
    const loop = translator(new Map([["/a", "/a/b"]]));
    expect(loop("/a /a/c")).toBe("/a/b /a/b/c");
  });

  it("is nothing where nothing is mounted", () => {
    expect(translator(new Map())("/data")).toBe("/data");
  });
});
