#!/usr/bin/env node
// `virtrigaud-qemu`: a provider of machines on this box.
import { runProvider } from "../sdk/run.ts";
import { qemuProgram } from "./program.ts";

process.exitCode = await runProvider(qemuProgram);
