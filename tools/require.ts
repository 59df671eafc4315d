// What a suite says whose component is not here.
import type { Environment } from "./cache.ts";

/**
 * One line that the suite is skipped, and undefined. With TELLTALE_REQUIRE=all, as in CI, an error that names the component.
 * `fix` is what to do: `set TELLTALE_HELM or run: npm run helm`.
 */
export function skipOrFail(suite: string, component: string, fix: string, env: Environment = process.env): undefined {
  const required = env["TELLTALE_REQUIRE"] ?? "";
  if (!["", "all"].includes(required))
    throw new Error(`TELLTALE_REQUIRE is ${required}; set it to all, or unset it to skip suites that cannot run here`);
  const what = `${suite} needs ${component}; ${fix}`;
  if (required === "all") throw new Error(`${what} (TELLTALE_REQUIRE=all skips no suite)`);
  process.stderr.write(`skipped: ${what}\n`);
  return undefined;
}
