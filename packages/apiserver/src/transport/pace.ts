// A stream that somebody reads who may go away while it has nothing to say.

/** The same chunks, until the reader is gone: then the source is told, and not waited for. */
export async function* unlessGone<T>(chunks: AsyncIterable<T>, gone: AbortSignal): AsyncGenerator<T, void, undefined> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    while (!gone.aborted) {
      const next = await orGone(iterator.next(), gone);
      if (next === undefined || next.done === true) return;
      yield next.value;
    }
  } finally {
    Promise.resolve(iterator.return?.()).catch(() => {}); // its last words are for nobody
  }
}

function orGone<T>(awaited: Promise<T>, gone: AbortSignal): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(undefined);
    gone.addEventListener("abort", leave, { once: true });
    awaited.then(resolve, reject).finally(() => gone.removeEventListener("abort", leave));
  });
}
