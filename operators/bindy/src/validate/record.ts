// Whether the data of a record can stand in a zone: strictly, and whatever the server let through (3.5, 12.2).
import type { Kind, Resource } from "@telltale/kinds";
import { text } from "@telltale/status";
import { addressOf } from "../bindcar/address.ts";
import { hostOf, ownerOf, targetOf } from "../bindcar/dns-name.ts";
import { mayOwn } from "../bindcar/record-value.ts";
import { kindOfType, type RecordSpecs, type RecordType } from "../kinds/records.ts";
import { type Checked, checked, each, type Problem, twice, unless } from "./problem.ts";

/** `path` is without `spec.`: messages of records name the field alone. */
export function checkRecord<T extends RecordType>(
  type: T,
  record: Resource<(typeof kindOfType)[T]>,
): Checked<RecordSpecs[T]> {
  const rule: (spec: RecordSpecs[T]) => Iterable<Problem> = dataRules[type];
  // One kind for each type, and one spec for each kind: the table of kinds is what both types are made from.
  const found = checked(kindOfType[type] as Kind, record, function* (spec) {
    yield* ownerProblems(type, (spec as RecordSpecs[T]).name);
    yield* rule(spec as RecordSpecs[T]);
  }) as Checked<RecordSpecs[T]>;
  return found.at === "valid" ? found : { ...found, path: found.path.replace(/^spec\.(?=.)/, "") };
}

/** What only the zone of a record can tell: whether the two together are a name. */
export function ownerProblem(name: string, zone: string): Problem | undefined {
  if (ownerOf(name, zone) !== undefined) return undefined;
  return { path: "name", problem: text`is longer than 253 characters together with the zone` };
}

function* ownerProblems(type: RecordType, name: string): Iterable<Problem> {
  // The shortest zone there is: what is no name there is none anywhere.
  yield* unless(ownerOf(name, "x") !== undefined, "name", text`is not a name within a zone`);
  yield* unless(mayOwn(type, name), "name", text`has a '_', which the name of a host cannot have`);
}

type DataRules = { readonly [T in RecordType]: (spec: RecordSpecs[T]) => Iterable<Problem> };

const dataRules: DataRules = {
  A: ({ ipv4Addresses }) => addressProblems("ipv4Addresses", ipv4Addresses, 4),
  AAAA: ({ ipv6Addresses }) => addressProblems("ipv6Addresses", ipv6Addresses, 6),
  *TXT({ text: strings }) {
    yield* each("text", strings, (it, path) =>
      unless(!unprintable.test(it), path, text`has a control character, or one that turns the direction of text`),
    );
    const bytes = strings.reduce((sum, it) => sum + storedBytes(it), 0);
    yield* unless(bytes <= 65_535, "text", text`is longer than 65535 bytes`);
  },
  *CNAME({ name, target }) {
    yield* unless(name !== "@", "name", text`is @, and the zone itself cannot be an alias`);
    yield* unless(targetOf(target) !== undefined, "target", text`${noName}`);
  },
  MX: ({ mailServer }) => unless(hostOf(mailServer) !== undefined, "mailServer", text`${noHost}`),
  NS: ({ nameserver }) => unless(hostOf(nameserver) !== undefined, "nameserver", text`${noHost}`),
  *SRV({ name, target }) {
    const isService = /^_[^.]+\._[^.]+(\.|$)/.test(name);
    yield* unless(isService, "name", text`does not begin with a service and a protocol, as in _sip._tcp`);
    yield* unless(target === "." || hostOf(target) !== undefined, "target", text`${noHost}`);
  },
  *CAA({ tag, value }) {
    yield* unless(tags.includes(tag), "tag", text`is none of ${tags.join(", ")}`);
    yield* unless(Buffer.byteLength(value) <= 512, "value", text`is longer than 512 bytes`);
    yield* unless(!unprintable.test(value), "value", text`has a control character`);
  },
};

const tags = ["issue", "issuewild", "iodef"];
const noName = "is not a name with a dot at its end";
const noHost = "is not the name of a host with a dot at its end";

const unprintable = /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/u;

/** Each part of up to 255 bytes has one more that says how long it is. */
function storedBytes(text: string): number {
  const bytes = Buffer.byteLength(text);
  return bytes + Math.max(1, Math.ceil(bytes / 252));
}

function* addressProblems(path: string, addresses: readonly string[], family: 4 | 6): Iterable<Problem> {
  yield* each(path, addresses, (it, at) =>
    unless(addressOf(it)?.family === family, at, text`is not an IPv${family} address`),
  );
  const texts = addresses.map((it) => addressOf(it)?.text ?? it);
  yield* twice(path, texts, "address");
}
