import { version, type HeardProcesses, type OperatorRoutes } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";

/** What the ledger says of the stores where it does not answer: nothing is known of them. */
const unknown = { ok: false, say: "Not known: the ledger does not answer." };

/** Which processes run, how the stores stand, and how far the books are behind. */
export function systemRoutes(processes: HeardProcesses, ledger: Pick<Ledger, "read">): OperatorRoutes {
  return {
    "GET /system": async () => {
      const stores = await storesOf(ledger);
      return { version, processes: processes.list(), ...stores };
    },
  };
}

async function storesOf(ledger: Pick<Ledger, "read">): Promise<object> {
  try {
    return { ledger: { ok: true, say: null }, ...(await ledger.read<object>("/stores")) };
  } catch (error) {
    return {
      ledger: { ok: false, say: error instanceof Error ? error.message : String(error) },
      redis: { ok: true, say: null, nodes: [] },
      nats: unknown,
      books: { ...unknown, engine: null },
      streams: [],
      openHolds: null,
      outboxEvents: null,
    };
  }
}
