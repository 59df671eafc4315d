// Lines that are written over by newer ones, where somebody looks.
import type { Terminal } from "../program/terminal.ts";

export interface Live {
  draw(lines: readonly string[]): void;
}

export function live(out: Terminal): Live {
  let height = 0;
  return {
    draw(lines) {
      const shown = lines.slice(0, Math.max(1, out.rows - 1));
      // Up to where it began, and everything below that away; all in one write, so that nothing flickers.
      const back = height === 0 ? "" : `\u001b[${height}A\r\u001b[0J`;
      out.write(`${back}${shown.map((line) => `${line}\n`).join("")}`);
      height = shown.length;
    },
  };
}
