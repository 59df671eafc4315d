import { create } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type Request, service } from "../contract/contract.ts";
import { RpcError } from "../contract/rpc-error.ts";
import { dottedNameOf, nameOf } from "./ids.ts";
import { fingerprintOf, wantedOf } from "./wanted.ts";

const request = (more: Request<"create">) =>
  create(service.method.create.input, {
    name: "one",
    classJson: `{"CPU":2,"MemoryMiB":1024}`,
    imageJson: `{"TemplateName":"ubuntu"}`,
    ...more,
  });
const refusal = (more: Request<"create">): string => {
  try {
    wantedOf(request(more));
  } catch (error) {
    if (error instanceof RpcError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "";
};

it("reads the JSON of managers that spell keys in their own way", () => {
  const wanted = wantedOf(
    request({
      classJson: `{"cpu":2,"memorymib":1024,"Firmware":"EFI","DiskDefaults":{"Type":"thick","SizeGiB":20},"PerformanceProfile":{"CPUHotAddEnabled":true}}`,
      networksJson: `[{"Name":"a","Model":"e1000","StaticIP":"10.0.0.5","Prefix":16,"DNS":"1.1.1.1, 8.8.8.8","VLAN":0}]`,
      disksJson: "null",
    }),
  );
  expect(wanted).toMatchObject({
    class: {
      cpu: 2,
      memoryMiB: 1024,
      firmware: "uefi",
      rootGiB: 20,
      isThick: true,
      hotAdd: { cpu: true, memory: false },
    },
    networks: [{ name: "a", model: "e1000", address: { ip: "10.0.0.5", prefix: 16, dns: ["1.1.1.1", "8.8.8.8"] } }],
    disks: [],
  });
});

it("equal requests have equal fingerprints, whatever their spelling; other ones have others", () => {
  const print = (more: Request<"create">) => fingerprintOf(wantedOf(request(more)));
  expect(print({ classJson: `{"memoryMiB":1024, "cpu":2}` })).toBe(print({}));
  expect(print({ requestId: "another" })).toBe(print({}));
  expect(print({ classJson: `{"CPU":3,"MemoryMiB":1024}` })).not.toBe(print({}));
  expect(print({ userData: new Uint8Array([1]) })).not.toBe(print({}));
});

it("refuses what is missing, wrong or too much, and says which field", () => {
  expect(refusal({ classJson: "{" })).toBe("INVALID_ARGUMENT: class_json is not JSON");
  expect(refusal({ classJson: "{}" })).toBe("INVALID_ARGUMENT: class_json.CPU is missing");
  expect(refusal({ classJson: `{"CPU":1e9,"MemoryMiB":1}` })).toMatch(/CPU must be a whole number from 1 to 128/);
  expect(refusal({ classJson: `{"CPU":1.5,"MemoryMiB":64}` })).toMatch(/^INVALID_ARGUMENT/);
  expect(refusal({ imageJson: "{}" })).toMatch(/one of TemplateName, Path, URL/);
  expect(refusal({ imageJson: `{"Path":"/a\\u0000b"}` })).toMatch(/NUL/);
  expect(refusal({ imageJson: `{"URL":"http://x","Format":"iso"}` })).toMatch(/qcow2, raw, vmdk/);
  expect(refusal({ imageJson: `{"URL":"http://x","Checksum":"abc"}` })).toMatch(/64 hexadecimal digits/);
  expect(refusal({ disksJson: `[{"Name":"root","SizeGiB":1}]` })).toMatch(/must not be root/);
  expect(refusal({ disksJson: `[{"Name":"a","SizeGiB":1},{"Name":"a","SizeGiB":2}]` })).toMatch(/has a twice/);
  expect(refusal({ disksJson: JSON.stringify(Array(21).fill({})) })).toMatch(/at most 20/);
  expect(refusal({ networksJson: `[{"Name":"a","MacAddress":"52:54:00:00:00:0,x=y"}]` })).toMatch(/MacAddress/);
  expect(refusal({ networksJson: `[{"Name":"a","Bridge":"br0,script=/bin/sh"}]` })).toMatch(/Bridge/);
  expect(refusal({ networksJson: `[{"Name":"a","VLAN":7}]` })).toMatch(/^UNIMPLEMENTED/);
  expect(refusal({ classJson: `{"CPU":1,"MemoryMiB":64,"SecurityProfile":{"TPMEnabled":true}}` })).toMatch(
    /^UNIMPLEMENTED/,
  );
});

it("a name that it takes is safe wherever it is used; all else is refused, and nothing breaks", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("latin1")),
        fc.constantFrom("..", ".", "a/b", "-a", "a,b", "a\n", ""),
      ),
      (text) => {
        for (const check of [nameOf, dottedNameOf]) {
          try {
            expect(check("name", text)).toBe(text);
          } catch (error) {
            expect(error).toBeInstanceOf(RpcError);
            continue;
          }
          expect(text).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]*$/);
          expect(text).not.toContain("..");
        }
      },
    ),
  );
});

it("whatever JSON comes, the answer is a machine or a refusal", () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), fc.json(), (classJson, networksJson, disksJson) => {
      expect(refusal({ classJson, networksJson, disksJson })).toMatch(/^(INVALID_ARGUMENT|UNIMPLEMENTED): |^$/);
    }),
  );
});
