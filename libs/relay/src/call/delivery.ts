import { channelKeyIdOf, type Attempted } from "@modelgate/channels";
import type { RelayDeps } from "../deps.ts";
import type { HeldMoney } from "../money/held-money.ts";
import type { Meter } from "../money/meter.ts";
import type { SentCall } from "../money/usage-draft.ts";
import type { Leaving } from "./leaving.ts";
import type { CallPlan, RelayedCall } from "./plan.ts";
import type { RouteDeps } from "./report-route.ts";
import type { Accepted } from "./send.ts";
import type { LinkDeps } from "./vendor-link.ts";

/** What was asked, as far as the answer's way to its client and its settlement depend on it. */
type Asked = Pick<
  CallPlan,
  "answered" | "cost" | "fees" | "forward" | "model" | "multiplier" | "requested" | "showsCost" | "waiting"
>;

/** An answer on its way to the client, with all that its settlement needs. */
export interface Delivery extends Asked {
  readonly deps: LinkDeps & RouteDeps & Pick<RelayDeps, "unseen">;
  readonly call: Pick<RelayedCall, "answer" | "caller" | "log" | "requestId">;
  readonly money: Pick<HeldMoney, "chargedNanos" | "costOf" | "expected" | "extend" | "heldAt" | "settle">;
  /** Where the call went. */
  readonly sent: SentCall;
  readonly meter: Meter;
  readonly attempted: Attempted<Accepted>;
  readonly leaving: Pick<Leaving, "ended" | "isClientGone">;
}

/** Frees the channel's seat: the vendor is done before the client has its last byte, and may ask again. */
export function letGo(attempted: Disposable): void {
  attempted[Symbol.dispose]();
}

/** Shows the answer to the code that waits for it, just before the client has it. */
export function showAnswer({ answered, attempted }: Delivery, text: Buffer | string, isCut: boolean): void {
  const { route, accepted } = attempted;
  answered?.({ text: text.toString(), channelKey: channelKeyIdOf(route), wire: accepted.exchange.wire, isCut });
}
