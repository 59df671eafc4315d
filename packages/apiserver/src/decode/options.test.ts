import { describe, expect, test } from "vitest";
import { StatusError } from "../status.ts";
import { decodeListOptions } from "./list-options.ts";
import { decodeOptions, decodeQueryOptions, type WriteVerb } from "./options.ts";

async function refusal(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code} ${error.message}`;
    throw error;
  }
  return "accepted";
}

const write = (query: string, verb: WriteVerb) => refusal(() => decodeQueryOptions(new URLSearchParams(query), verb));
const list = (query: string) => refusal(() => decodeListOptions(new URLSearchParams(query)));
const remove = (body: string, query = "", contentType = "application/json") =>
  decodeOptions({ contentType, bytes: Buffer.from(body), query: new URLSearchParams(query) });
const invalid = (kind: string, rest: string) => `422 ${kind}.meta.k8s.io "" is invalid: ${rest}`;

describe("options of writes", () => {
  test.each<[string, WriteVerb, string]>([
    ["", "create", "accepted"],
    ["dryRun=All&dryRun=All", "create", "accepted"],
    ["fieldManager=", "create", "accepted"],
    ["dryRun=Foo", "create", invalid("CreateOptions", 'dryRun: Unsupported value: ["Foo"]: supported values: "All"')],
    ["dryRun=", "create", invalid("CreateOptions", 'dryRun: Unsupported value: [""]: supported values: "All"')],
    ["dryRun=Foo", "patch", invalid("PatchOptions", 'dryRun: Unsupported value: ["Foo"]: supported values: "All"')],
    [
      "fieldValidation=Bogus",
      "update",
      invalid(
        "UpdateOptions",
        'fieldValidation: Unsupported value: "Bogus": supported values: "", "Ignore", "Strict", "Warn"',
      ),
    ],
    [
      `fieldManager=${"a".repeat(129)}`,
      "create",
      invalid("CreateOptions", "fieldManager: Too long: may not be more than 128 bytes"),
    ],
    [`fieldManager=${"a".repeat(128)}`, "create", "accepted"],
    [
      "fieldManager=a%00b",
      "create",
      invalid("CreateOptions", 'fieldManager: Invalid value: "a\\x00b": invalid character U+0000 (at position 1)'),
    ],
    [
      "fieldManager=a%20b%C2%A0",
      "create",
      invalid("CreateOptions", 'fieldManager: Invalid value: "a b\\u00a0": invalid character U+00A0 (at position 3)'),
    ],
    ["force=false", "patch", invalid("PatchOptions", "force: Forbidden: may not be specified for non-apply patch")],
    ["", "apply", invalid("PatchOptions", "fieldManager: Required value: is required for apply patch")],
    ["force=true&fieldManager=x", "apply", "accepted"],
    [
      "fieldManager=&dryRun=X",
      "apply",
      invalid(
        "PatchOptions",
        '[fieldManager: Required value: is required for apply patch, dryRun: Unsupported value: ["X"]: supported values: "All"]',
      ),
    ],
  ])("C29, C37, C40, P22, P26, A18 %s of %s", async (query, verb, wanted) =>
    expect(await write(query, verb)).toBe(wanted),
  );

  test("the default is Warn", () => {
    expect(decodeQueryOptions(new URLSearchParams("dryRun=All&fieldManager=m"), "create")).toEqual({
      dryRun: true,
      fieldManager: "m",
      fieldValidation: "Warn",
      force: undefined,
    });
  });
});

describe("options of lists and watches", () => {
  const match = "resourceVersionMatch";
  const needsVersion = `${match}: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided`;
  const noContinue = `${match}: Forbidden: resourceVersionMatch is forbidden when continue is provided`;
  const needsInitial = `${match}: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`;
  test.each([
    ["limit=-1", "accepted"],
    ["limit=abc", '400 strconv.ParseInt: parsing "abc": invalid syntax'],
    ["limit=99999999999999999999", '400 strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    [`${match}=Exact`, invalid("ListOptions", needsVersion)],
    [`${match}=Exact&continue=x`, invalid("ListOptions", `[${needsVersion}, ${noContinue}]`)],
    [
      `${match}=Exact&resourceVersion=0`,
      invalid("ListOptions", `${match}: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`),
    ],
    [
      `${match}=Bogus&resourceVersion=1`,
      invalid("ListOptions", `${match}: Unsupported value: "Bogus": supported values: "Exact", "NotOlderThan", ""`),
    ],
    [
      "sendInitialEvents=",
      invalid("ListOptions", "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"),
    ],
    [`watch=true&${match}=NotOlderThan`, invalid("ListOptions", needsInitial)],
    [
      `watch=true&${match}=Exact&resourceVersion=1`,
      invalid(
        "ListOptions",
        `[${needsInitial}, ${match}: Unsupported value: "Exact": supported values: "NotOlderThan"]`,
      ),
    ],
    [
      "watch=1&sendInitialEvents=false",
      invalid(
        "ListOptions",
        `${match}: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
      ),
    ],
    [`watch=1&sendInitialEvents=true&${match}=NotOlderThan`, "accepted"],
  ])("R07, R13-R16, R36-R38 %s", async (query, wanted) => expect(await list(query)).toBe(wanted));

  test("watch is what is not 0 or false", () => {
    const watch = (query: string) => decodeListOptions(new URLSearchParams(query)).watch;
    expect([watch(""), watch("watch=false"), watch("watch=0"), watch("watch="), watch("watch=maybe")]).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});

describe("options of deletions", () => {
  test("X14 a body wins over the query as a whole", async () => {
    expect(await remove('{"propagationPolicy":"Orphan"}', "gracePeriodSeconds=5&dryRun=All")).toMatchObject({
      propagationPolicy: "Orphan",
      dryRun: false,
    });
    const fromQuery = await remove("", "gracePeriodSeconds=5&dryRun=All&uid=u&orphanDependents=false");
    expect(fromQuery).toMatchObject({
      gracePeriodSeconds: 5,
      dryRun: true,
      preconditions: { uid: "u" },
      orphanDependents: false,
    });
  });

  test("X15 a body may be protobuf", async () => {
    const bytes = Buffer.from("azhzAAoTCgJ2MRINRGVsZXRlT3B0aW9ucxIIIgZPcnBoYW4aACIA", "base64");
    const options = await decodeOptions({
      contentType: "application/vnd.kubernetes.protobuf",
      bytes,
      query: new URLSearchParams(),
    });
    expect(options.propagationPolicy).toBe("Orphan");
  });

  const both =
    'propagationPolicy: Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set';
  const unsupported = (policy: string) =>
    `propagationPolicy: Unsupported value: "${policy}": supported values: "Foreground", "Background", "Orphan", "nil"`;
  test.each([
    ['{"kind":"DeleteOptions","apiVersion":"apps/v1","foo":1}', "accepted"],
    ["null", "accepted"],
    ['{"propagationPolicy":"Sideways"}', invalid("DeleteOptions", unsupported("Sideways"))],
    ['{"propagationPolicy":""}', invalid("DeleteOptions", unsupported(""))],
    ['{"propagationPolicy":"Orphan","orphanDependents":true}', invalid("DeleteOptions", both)],
    ['{"dryRun":["Foo"]}', invalid("DeleteOptions", 'dryRun: Unsupported value: ["Foo"]: supported values: "All"')],
    [
      '{"gracePeriodSeconds":"x"}',
      "400 json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
    ],
    [
      '{"preconditions":{"uid":1}}',
      "400 json: cannot unmarshal number into Go struct field Preconditions.preconditions.uid of type types.UID",
    ],
    ["{", "400 couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [
      '{"apiVersion":"v1","kind":"ConfigMap"}',
      '400 no kind "ConfigMap" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    [
      '{"kind":"Foo"}',
      '400 no kind "Foo" is registered for version "meta.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    ['{"kind":"DeleteOptions","apiVersion":"a/b/c"}', "400 unexpected GroupVersion string: a/b/c"],
  ])("X09, X10 %s", async (body, wanted) => expect(await refusal(() => remove(body))).toBe(wanted));

  test("X10, X14 other media types and bad numbers of the query", async () => {
    expect(await refusal(() => remove("{}", "", "text/plain"))).toMatch(/^415 /);
    expect(await refusal(() => remove("", "gracePeriodSeconds=x"))).toBe(
      '400 strconv.ParseInt: parsing "x": invalid syntax',
    );
  });
});
