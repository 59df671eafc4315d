// Hosts looked up as this machine does it: its resolver, and /etc/hosts.
import { lookup } from "node:dns/promises";
import type { Lookup } from "./addresses.ts";

export const systemLookup: Lookup = async (host) => (await lookup(host, { all: true })).map(({ address }) => address);
