import type { VendorLink } from "@modelgate/relay";

/** Most calls of one request that a vendor answers at a time. */
const mostAtOnce = 4;

/** Sends further requests of a call; their answers in the order of the bodies. Throws Failure for the first that fails. */
export async function sendAll(
  link: VendorLink,
  bodies: readonly Buffer[],
): Promise<readonly Awaited<ReturnType<VendorLink["send"]>>[]> {
  const answers: Awaited<ReturnType<VendorLink["send"]>>[] = [];
  for (let at = 0; at < bodies.length; at += mostAtOnce)
    answers.push(...(await Promise.all(bodies.slice(at, at + mostAtOnce).map((body) => link.send(body)))));
  return answers;
}
