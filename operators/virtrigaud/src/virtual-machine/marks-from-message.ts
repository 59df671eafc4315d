// Migration: before there was a reason for it, only the message told that a guest was asked to go down. It is read until the next
// write. Nothing else reads a message.
import type { Told } from "./world.ts";

export const isShutdownByMessage = (reconfiguring: Told["reconfiguring"]): boolean =>
  reconfiguring?.reason === "Updating" && reconfiguring.message === "Graceful shutdown requested";
