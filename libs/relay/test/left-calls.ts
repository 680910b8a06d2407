import { register } from "prom-client";
import type { UsageEvent } from "@modelgate/contracts";
import { until } from "@modelgate/testkit";
import type { Area } from "./area.ts";
import { keys } from "./config.ts";

/** Vendor that waits with its answers while it is silent. */
interface WaitingVendor<Behaviour> {
  readonly requests: readonly unknown[];
  behave(next: Behaviour): void;
  /** Answers all requests that wait. */
  speak(): void;
}

/** Result of calls whose clients disconnected. */
export interface LeftCalls {
  readonly cost: bigint;
  readonly events: readonly UsageEvent[];
}

/**
 * Makes calls whose clients disconnect while the vendor works, and waits until they are settled. `then` makes the
 * vendor answer.
 */
export async function leaveCalls(
  area: Area,
  vendor: WaitingVendor<{ readonly silent: true }>,
  { path, bodies }: { readonly path: string; readonly bodies: readonly (object | FormData)[] },
  then: () => unknown = () => undefined,
): Promise<LeftCalls> {
  vendor.behave({ silent: true });
  const [{ balanceNanos: before }, { length: from }] = [await area.settled("demo"), await area.events()];
  const sent = vendor.requests.length;
  const clients = bodies.map((body) => startCall(area, path, body));
  await until("the requests to reach the vendor", () => vendor.requests.length >= sent + bodies.length);
  await Promise.all(clients.map((client) => client.disconnect()));
  await then();
  const events = await until("the events", async () => {
    const found = (await area.events()).slice(from);
    return found.length >= bodies.length && found;
  });
  return { cost: before - (await area.settled("demo")).balanceNanos, events };
}

/** Starts a call whose client can disconnect. */
export function startCall(area: Pick<Area, "url">, path: string, body: object | FormData) {
  const disconnecting = new AbortController();
  const isForm = body instanceof FormData;
  const over = fetch(area.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${keys.demo}`, ...(isForm ? {} : { "content-type": "application/json" }) },
    body: isForm ? body : JSON.stringify(body),
    signal: disconnecting.signal,
  }).then(
    (answer) => answer.text(),
    () => undefined,
  );
  return {
    async disconnect() {
      disconnecting.abort();
      await over;
    },
  };
}

/** Waits until the service reads an answer without a client. */
export function untilDetached(): Promise<unknown> {
  return until("an answer to be read without a client", async () =>
    /^modelgate_detached_answers(?:\{[^}]*\})? [1-9]/m.test(
      await register.getSingleMetricAsString("modelgate_detached_answers"),
    ),
  );
}

/** Returns a function that makes the vendor answer, after its service has noticed that the client has left. */
export function answers<Behaviour>(vendor: WaitingVendor<Behaviour>, behaviour: Behaviour): () => Promise<void> {
  return async () => {
    await untilDetached();
    vendor.behave(behaviour);
    vendor.speak();
  };
}
