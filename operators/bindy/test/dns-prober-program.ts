// A process that asks a name server every two milliseconds and keeps what it answered: on its own, so that nobody else's work
// makes it wait.
import { createSocket } from "node:dgram";
import { once } from "node:events";
import { sleep, systemClock } from "@telltale/clock";
import { queryMessage, readReply } from "../src/dns-update/message.ts";
import type { Answer, ProberFindings, ProberOrder } from "./dns-prober.ts";

const [port = "", ...names] = process.argv.slice(2);
const socket = createSocket("udp4");
socket.connect(Number(port), "127.0.0.1");
await once(socket, "connect");

const known = new Map<string, string>();
const open = new Map<number, { readonly name: string; readonly known: string | undefined }>();
const wrong: Answer[] = [];
let [count, id, isOver] = [0, 0, false];

process.on("message", (order: ProberOrder) => {
  if (order.is === "know") known.set(order.name, order.address);
  else isOver = true;
});
// Nobody listens any more.
process.on("disconnect", () => process.exit(0));

/** The third number of an address says of which round it is. */
const roundOf = (address: string): number => Number(address.split(".")[2]);

socket.on("message", (bytes) => {
  const reply = readReply(bytes);
  const question = reply === undefined ? undefined : open.get(reply.id);
  if (reply === undefined || question === undefined) return;
  open.delete(reply.id);
  count += 1;
  const addresses = reply.answers.filter(({ type }) => type === 1).map(({ data }) => [...data].join("."));
  const least = question.known === undefined ? 0 : roundOf(question.known);
  const isRight = reply.rcode === 0 && addresses.length === 1 && addresses.every((it) => roundOf(it) >= least);
  if (!isRight && wrong.length < 100) wrong.push({ ...question, rcode: reply.rcode, addresses });
});
socket.on("error", () => {});

process.send?.("begun");
while (!isOver) {
  id = (id + 1) % 65_536;
  const name = names[id % names.length] ?? "";
  open.set(id, { name, known: known.get(name) });
  socket.send(queryMessage(`${name}.`, "A", id));
  await sleep(systemClock, 2);
}
await sleep(systemClock, 200);
process.send?.({ count, wrong } satisfies ProberFindings, () => process.exit(0));
