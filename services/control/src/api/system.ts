import { version, type ProcessList, type OperatorRoutes } from "@modelgate/platform";
import type { Ledger } from "../ledger.ts";

const unknownState = { ok: false, message: "Unknown: the ledger does not answer." };

/** Routes of the running processes and the stores. */
export function systemRoutes(processes: ProcessList, ledger: Pick<Ledger, "read">): OperatorRoutes {
  return {
    "GET /system": async () => {
      const stores = await readStores(ledger);
      return { version, processes: processes.list(), ...stores };
    },
  };
}

async function readStores(ledger: Pick<Ledger, "read">): Promise<object> {
  try {
    return { ledger: { ok: true, message: null }, ...(await ledger.read<object>("/stores")) };
  } catch (error) {
    return {
      ledger: { ok: false, message: error instanceof Error ? error.message : String(error) },
      redis: { ok: true, message: null, nodes: [] },
      nats: unknownState,
      books: { ...unknownState, engine: null },
      streams: [],
      openHolds: null,
      outboxEvents: null,
    };
  }
}
