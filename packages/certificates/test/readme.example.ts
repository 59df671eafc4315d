import { factsOf, newIssuer } from "@telltale/certificates";
import { seededRandom, VirtualClock } from "@telltale/clock";

const day = 24 * 3_600_000;

export function serving(): { known: boolean; days: number } {
  const means = { clock: new VirtualClock(), random: seededRandom(7) };
  const issuer = newIssuer(means, { name: "our-ca", lasts: 3650 * day });
  const { cert } = issuer.server({ name: "hooks", names: ["hooks.ops.svc"], lasts: 90 * day });
  const facts = factsOf(cert);
  if (facts === undefined) throw new Error("what was just made can be read");
  return { known: facts.names("hooks.ops.svc"), days: (facts.until - means.clock.now()) / day };
}
