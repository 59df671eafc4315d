// What a person, and a program, are told of a campaign.
import { beforeAll, describe, expect, it } from "vitest";
import { nightly } from "../test/docs/backup.scenario.example.ts";
import { tiny } from "../test/tiny.ts";
import { runCampaign } from "./campaign.ts";
import { reportJson, reportText } from "./report.ts";
import { type Progress, type Report, simulate } from "./simulate.ts";

const where = { from: "./backup.scenario.ts", scenario: "nightly" };

describe("a campaign that finds something", () => {
  let report: Report;
  beforeAll(async () => {
    report = await simulate(nightly, { plans: 200, only: ["P5", "P25"] });
  });

  it("tells how fast it was, what was tried at which step, and what was not", () => {
    const text = reportText(report);
    expect(text).toMatch(/^nightly: \d+ plans, \d+ per second; seed 1, trace [0-9a-f]{12}\none fault alone \d+\n/);
    expect(text).toMatch(/^P5 {2}a request is lost before it reaches the server +1 {2}act: POST jobs 1$/m);
    expect(text).toMatch(/^not tried: P1, P2, P3, P4, P6/m);
  });

  it("tells which invariant broke, by which plan, and how it came about", () => {
    const text = reportText(report);
    expect(text).toContain("Broken: I2: the end is the same as in the run without faults, up to declared freedom.");
    expect(text).toContain("  I2: Job default/backup-<2> is there, and should not be\n");
    expect(text).toMatch(/fault P25 {3}#1 POST jobs default takes 40 s there\n/);
    expect(text.trimEnd()).toMatch(/invariant {3}I2: .*$/);
  });

  it("ends with a test to commit", () => {
    const text = reportText(report, where);
    expect(text).toContain('import { nightly } from "./backup.scenario.ts";');
    expect(text).toMatch(/await replay\(nightly, \{"seed":1,"faults":\[\{"p":"P25","write":1,/);
  });

  it("ends with a test of one in a list where that is how it is exported", () => {
    const text = reportText(report, { from: "./backup.scenario.ts", scenario: "nights", member: "nightly" });
    expect(text).toContain('import { nights } from "./backup.scenario.ts";');
    expect(text).toContain('test.each(nights.filter(({ name }) => name === "nightly"))("I2 holds');
    expect(text).toMatch(/await replay\(it, \{"seed":1,"faults":\[\{"p":"P25","write":1,/);
  });

  it("is all there as JSON", () => {
    const told = JSON.parse(reportJson(report, where)) as Record<string, unknown>;
    expect(Object.keys(told)).toEqual([
      "scenario",
      "seed",
      "plans",
      "perSecond",
      "hash",
      "tried",
      "exhausted",
      "coverage",
      "guards",
      "found",
      "failure",
    ]);
    expect(told["failure"]).toMatchObject({
      plan: report.failure?.plan,
      violations: report.failure?.violations,
      trace: expect.arrayContaining([expect.objectContaining({ who: "person", what: "applies Backup nightly" })]),
      test: expect.stringContaining("replay"),
    });
  });
});

describe("a campaign that finds nothing", () => {
  it("says what is exhausted, and that everything held", async () => {
    const report = await simulate(tiny(), { plans: 40, only: ["P1", "P5"] });
    expect(report).toMatchObject({ tried: { alone: 4, pairs: 4, triples: 0 }, exhausted: ["alone", "pairs"] });
    expect(reportText(report)).toMatch(/^one fault alone 4 \(all\), pairs 4 \(all\), random walks \d+$/m);
    expect(reportText(report)).toMatch(/Every invariant held\.\n$/);
  });

  it("tells how far it is", async () => {
    const told: Progress[] = [];
    await simulate(tiny(), { plans: 110, only: ["P5"], onProgress: (it) => told.push(it) });
    expect(told.map(({ scenario, plans, of }) => ({ scenario, plans, of }))).toEqual([
      { scenario: "tiny", plans: 50, of: 110 },
      { scenario: "tiny", plans: 100, of: 110 },
    ]);
  });
});

it("several scenarios are tried one after the other, whichever fails", async () => {
  const reports = await runCampaign([nightly, tiny()], { plans: 6, only: ["P5", "P25"] });
  expect(reports.map(({ scenario, failure }) => [scenario, failure?.violations[0]?.invariant])).toEqual([
    ["nightly", "I2"],
    ["tiny", undefined],
  ]);
});

it("a perturbation that does not exist is named", async () => {
  await expect(simulate(tiny(), { only: ["P1", "P99"] })).rejects.toThrow("there is no perturbation P99");
});
