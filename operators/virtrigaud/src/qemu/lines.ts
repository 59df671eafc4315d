// A socket's bytes as lines of JSON, one value each.
import type { Socket } from "node:net";

/** Nothing that QEMU or a guest says in one line is longer; a guest that never ends its line is cut off. */
const longestLine = 16 * 1024 * 1024;

export function onLines(socket: Socket, heard: (value: unknown, hadDelimiter: boolean) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (piece: Buffer) => {
    rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end);
      rest = rest.subarray(end + 1);
      // A guest agent puts 0xff before its answer to a delimited sync: what came before it is from an older talk.
      const delimiter = line.lastIndexOf(0xff);
      const value = parsed(line.subarray(delimiter + 1).toString("utf8"));
      if (value !== undefined) heard(value, delimiter >= 0);
    }
    if (rest.length > longestLine) socket.destroy();
  });
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;
}
