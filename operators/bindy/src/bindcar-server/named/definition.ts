// What named is told a zone is: made for a new one, read from `showzone`, changed statement by statement. Pure.
import { addressOf, type Endpoint, endpointText } from "../../bindcar/address.ts";
import type { Definition, Modification, NewZone, Permitted } from "../nameserver.ts";
import { bad } from "../refused.ts";
import { type Statement, statementsOf } from "./statements.ts";

/** `ownKey` may transfer every zone: Bindcar reads them with it. */
export function statementsFor(made: NewZone, file: string, ownKey: string): readonly Statement[] {
  const notify =
    made.alsoNotify.length === 0 ? [] : [{ words: ["also-notify"], block: made.alsoNotify.map(endpointEntry) }];
  if (made.type === "secondary")
    return [
      { words: ["type", "secondary"] },
      { words: ["primaries"], block: made.primaries.map(endpointEntry) },
      ...notify,
      transferStatement([ownKey], made.allowTransfer),
    ];
  const { updateKey, dnssecPolicy, inlineSigning } = made;
  const keys = [...new Set([...(updateKey === undefined ? [] : [updateKey]), ownKey])];
  return [
    { words: ["type", "primary"] },
    { words: ["file", { quoted: file }] },
    ...(updateKey === undefined ? [] : [{ words: ["allow-update"], block: [keyEntry(updateKey)] }]),
    ...notify,
    transferStatement(keys, made.allowTransfer),
    ...(dnssecPolicy === undefined ? [] : [{ words: ["dnssec-policy", { quoted: dnssecPolicy }] }]),
    ...(inlineSigning ? [{ words: ["inline-signing", "yes"] }] : []),
  ];
}

const keyEntry = (key: string): Statement => ({ words: ["key", { quoted: key }] });

const transferStatement = (keys: readonly string[], addresses: readonly string[]): Statement => ({
  words: ["allow-transfer"],
  block: [...keys.map(keyEntry), ...addresses.map((address) => ({ words: [address] }))],
});

const endpointEntry = ({ text, port }: Endpoint): Statement => ({
  words: port === undefined ? [text] : [text, "port", String(port)],
});

/** `zone "x" { … };` as `showzone` prints it. Undefined where it is anything else. */
export function shownZone(text: string): readonly Statement[] | undefined {
  const [zone, ...more] = statementsOf(text) ?? [];
  return zone?.words[0] === "zone" && more.length === 0 ? zone.block : undefined;
}

export function definitionOf(statements: readonly Statement[]): Definition {
  const file = find(statements, "file")?.words[1];
  const type = find(statements, "type")?.words[1];
  const endpoints = (...names: readonly string[]) =>
    names.flatMap((name) => find(statements, name)?.block ?? []).flatMap(endpointTextOf);
  return {
    type: type === "secondary" || type === "slave" ? "secondary" : "primary",
    ...(typeof file === "object" && { file: file.quoted }),
    alsoNotify: endpoints("also-notify"),
    allowTransfer: (find(statements, "allow-transfer")?.block ?? []).flatMap(addressIn),
    primaries: endpoints("primaries", "masters"),
  };
}

const find = (statements: readonly Statement[], name: string): Statement | undefined =>
  statements.find(({ words }) => words[0] === name);

/** `10.0.0.1/32` and `10.0.0.1 port 5353`, as named prints them. */
function addressIn({ words: [word] }: Statement): readonly string[] {
  const address = typeof word === "string" ? addressOf(word.replace(/\/(32|128)$/, "")) : undefined;
  return address === undefined ? [] : [address.text];
}

function endpointTextOf({ words: [word, port, number] }: Statement): readonly string[] {
  const address = typeof word === "string" ? addressOf(word) : undefined;
  if (address === undefined) return [];
  return [endpointText(port === "port" ? { ...address, port: Number(number) } : address)];
}

/** Everything that was not named stays: `modzone` replaces the whole definition. */
export function modified(statements: readonly Statement[], change: Modification): readonly Statement[] {
  const { type } = definitionOf(statements);
  if (type === "primary" && change.primaries !== undefined) throw bad("a primary zone has no primaries");
  if (type === "secondary" && change.allowUpdate !== undefined) throw bad("a secondary zone takes no updates");
  let next = statements;
  if (change.alsoNotify !== undefined) next = replaced(next, "also-notify", change.alsoNotify.map(endpointEntry));
  if (change.primaries !== undefined)
    next = replaced(without(next, "masters"), "primaries", change.primaries.map(endpointEntry));
  if (change.allowUpdate !== undefined) next = replaced(next, "allow-update", change.allowUpdate.map(permittedEntry));
  if (change.allowTransfer !== undefined) {
    // The keys stay: with them Bindcar reads the zone.
    const keys = (find(next, "allow-transfer")?.block ?? []).filter(({ words }) => words[0] === "key");
    next = replaced(next, "allow-transfer", [
      ...keys,
      ...change.allowTransfer.map((address) => ({ words: [address] })),
    ]);
  }
  return next;
}

const permittedEntry = (it: Permitted): Statement => ("key" in it ? keyEntry(it.key) : { words: [it.address] });

const without = (statements: readonly Statement[], name: string): readonly Statement[] =>
  statements.filter(({ words }) => words[0] !== name);

function replaced(statements: readonly Statement[], name: string, block: readonly Statement[]): readonly Statement[] {
  if (block.length === 0) return without(statements, name);
  const made: Statement = { words: [name], block };
  if (find(statements, name) === undefined) return [...statements, made];
  return statements.map((it) => (it.words[0] === name ? made : it));
}
