import { expect, it } from "vitest";
import { checkedFetch, settingsOf } from "./program.ts";

it("flags become settings, and have the standards of the spec", () => {
  expect(settingsOf({ "state-dir": "/s" })).toMatchObject({
    stateDir: "/s",
    imageDirs: [],
    storageDir: "/mnt/migration-storage",
    minFree: 2 ** 30,
    syncTransfers: false,
    maxJobs: 2,
  });
  const flags = {
    "state-dir": "/s",
    "image-dirs": "/a,/b",
    "min-free": "5Mi",
    "max-jobs": "9",
    "sync-transfers": "true",
  };
  expect(settingsOf(flags)).toMatchObject({
    imageDirs: ["/a", "/b"],
    minFree: 5 * 2 ** 20,
    maxJobs: 9,
    syncTransfers: true,
  });
});

it.each([
  [{}, "--state-dir is missing"],
  [{ "state-dir": "/s", "min-free": "lots" }, '--min-free is "lots"; set it to bytes'],
  [{ "state-dir": "/s", "max-jobs": "0" }, "--max-jobs"],
  [{ "state-dir": "/s", "sync-transfers": "yes" }, "set it to true or false"],
  [{ "state-dir": "/s", "ovmf-code": "/x" }, "belong together"],
])("flags that make no sense are refused by name: %j", (flags, said) => {
  expect(() => settingsOf(flags)).toThrow(said);
});

it("an image is fetched from no address that only this box can reach, and from what was looked at", async () => {
  const fetch = checkedFetch(async (host) =>
    host === "good.test" ? ["203.0.113.7", "2001:db8::1"] : ["203.0.113.7", "127.0.0.1"],
  );
  expect(await fetch("good.test")).toEqual([
    { address: "203.0.113.7", family: 4 },
    { address: "2001:db8::1", family: 6 },
  ]);
  for (const host of ["127.0.0.1", "169.254.169.254", "::1", "mixed.test", "0.0.0.0", "::ffff:127.0.0.1"])
    await expect(fetch(host)).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
});
