import { expect, it } from "vitest";
import { addressBytes } from "./address.ts";

it.for([
  ["10.0.0.1", "0a000001"],
  ["::1", "00000000000000000000000000000001"],
  ["::", "00000000000000000000000000000000"],
  ["fe80::1:2", "fe800000000000000000000000010002"],
  ["2001:db8:0:1::", "20010db8000000010000000000000000"],
  ["1:2:3:4:5:6:7:8", "00010002000300040005000600070008"],
  ["::ffff:192.168.1.2", "00000000000000000000ffffc0a80102"],
] as const)("%s is %s", ([address, hex]) => {
  expect(Buffer.from(addressBytes(address)).toString("hex")).toBe(hex);
});

it.for(["localhost", "10.0.0", "fe80::1%eth0", ""])("%s is refused", (text) => {
  expect(() => addressBytes(text)).toThrow(/is no IP address that a certificate can hold/);
});
