// What must not compile: each expected error below is one.
import { instant } from "@telltale/kinds";
import { expect, it } from "vitest";
import { type Message, Secret, sanitize, text, volatile } from "./text.ts";

const say = <const M extends string>(message: Message<M>): string => message;
const computed: string = ["a", "b"].join();
const secret = new Secret("x");
const moment = instant(0);

it("a message is a literal, or was made safe", () => {
  expect(say("The widget works")).toBe("The widget works");
  expect(say(text`Pod ${computed} is ready`)).toBe("Pod a,b is ready");
  expect(say(sanitize(computed, { max: 10 }))).toBe("a,b");
  // @ts-expect-error a computed string could hold anything
  say(computed);
  // @ts-expect-error and so could a template of one
  say(`Pod ${computed} is ready`);
});

it("rule 23: a moment does not fit into a text, unless somebody says that it changes", () => {
  expect(text`waits since ${volatile(moment)}`).toBe("waits since 0");
  // @ts-expect-error a moment is new each time
  text`waits since ${moment}`;
});

it("a secret does not fit into a text", () => {
  // @ts-expect-error a secret is not for showing
  text`the password is ${secret}`;
  // @ts-expect-error nor by saying that it changes
  text`the password is ${volatile(secret)}`;
  expect(String(secret)).toBe("[secret]");
});

it("a text takes numbers and strings, and nothing that prints badly", () => {
  expect(text`${1} of ${"two"}`).toBe("1 of two");
  // @ts-expect-error an object prints as [object Object]
  text`${{}}`;
  // @ts-expect-error something that may be missing prints as undefined
  text`${[1][0] as number | undefined}`;
});
