import { seededRandom, sleep, uuid, VirtualClock } from "@telltale/clock";

export async function nap(): Promise<string> {
  const clock = new VirtualClock();
  const asleep = sleep(clock, 3_600_000);
  await clock.settle(3_600_000); // an hour passes at once
  await asleep;
  return uuid(seededRandom(7));
}
