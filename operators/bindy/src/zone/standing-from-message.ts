// Migration: before the servers of a zone had reasons, only the message told this one. It is read until the next write. Nothing else
// reads a message.
export const reasonFromMessage = (message: string | undefined): "NotTransferred" | undefined =>
  message === "the zone has not been transferred" ? "NotTransferred" : undefined;
