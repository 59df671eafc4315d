// Providers and the adoption of their machines on a server in virtual time. The suites are one file to the runner: what they load
// takes longer than most of them.
import "./provider/adoption.ts";
import "./provider/health.ts";
import "./provider/life.ts";
import "./provider/rights.ts";
import "./provider/rollout.ts";
import "./provider/runtime.ts";
