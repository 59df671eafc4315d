import { parseTime } from "@telltale/kinds";
import { describe, expect, it } from "vitest";
import { placeOfObject, signed } from "./s3.ts";

describe("a request to S3", () => {
  it("is signed as in Amazon's own example", () => {
    const url = new URL("https://examplebucket.s3.amazonaws.com/test.txt");
    const credentials = {
      accessKeyID: "AKIAIOSFODNN7EXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    };
    const now = parseTime("2013-05-24T00:00:00Z");
    if (now === undefined) throw new Error("it is no time");
    const { authorization } = signed("GET", url, "us-east-1", credentials, now, { range: "bytes=0-9" });
    expect(authorization).toBe(
      "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    );
  });

  it.each([
    ["", true, "https://s3.us-east-1.amazonaws.com/disks/a%20b/c"],
    ["", false, "https://disks.s3.us-east-1.amazonaws.com/a%20b/c"],
    ["http://minio:9000", true, "http://minio:9000/disks/a%20b/c"],
    ["minio.example", false, "https://disks.minio.example/a%20b/c"],
  ])("goes from endpoint %j, by path %s, to %s", (endpoint, usePathStyle, place) => {
    const at = { endpoint, region: "", bucket: "disks", key: "a b/c", usePathStyle };
    expect(placeOfObject(at).href).toBe(place);
  });
});
