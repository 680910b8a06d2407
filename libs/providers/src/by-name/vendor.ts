import type { UpstreamWire } from "@modelgate/contracts";
import { openaiPaths } from "../openai/index.ts";
import { failureOf } from "../openai/failures.ts";
import type { VendorCall } from "../call.ts";
import type { Provider } from "../provider.ts";
import { requestsAt } from "../request.ts";
import type { VendorRow } from "./row.ts";
import { chineseVendors } from "./chinese.ts";
import { hostedVendors } from "./hosted.ts";
import { ownVendors } from "./own.ts";

/** Version of the messages wire, requested where the client names none. */
const messagesVersion = "2023-06-01";

/** Path of every wire; a row may override it. */
const usualPaths: Readonly<Partial<Record<UpstreamWire, string>>> = {
  ...openaiPaths,
  messages: "/messages",
  "count-messages": "/messages/count_tokens",
};

/** Creates the vendor that a row describes. */
export function vendorOfRow(name: string, row: VendorRow): Provider {
  const { title, baseUrl, keyVariable, isLocal, wires, dialect, modelsAt = "/models", pricesAs } = row;
  const paths = { ...usualPaths, ...row.paths };
  const known = Object.keys(usualPaths).filter((wire): wire is UpstreamWire => wire in usualPaths);
  return {
    name,
    title,
    baseUrl,
    keyVariable,
    isLocal,
    pricesAs,
    dialect,
    wires,
    moreWires: known.filter((wire) => !wires.includes(wire)),
    modelsAt: modelsAt === "none" ? undefined : modelsAt,
    request: requestsAt(({ baseUrl: base, wire, model }) => {
      const url = new URL(`${base.replace(/\/+$/, "")}${paths[wire] ?? ""}`);
      if (wire === "realtime") url.searchParams.set("model", model);
      return url;
    }, headersOf),
    failureOf,
  };
}

/** Returns headers with the key; vendors of the messages wire read it from either of two headers. */
function headersOf(call: VendorCall): Readonly<Record<string, string>> {
  const authorization = `Bearer ${call.key}`;
  if (call.wire !== "messages" && call.wire !== "count-messages") return { authorization };
  return { authorization, "x-api-key": call.key, "anthropic-version": messagesVersion };
}

const tables: readonly Readonly<Record<string, VendorRow>>[] = [hostedVendors, chineseVendors, ownVendors];

/** Vendors that are rows of a table and need no code. */
export const rowVendors: readonly Provider[] = tables.flatMap((table) =>
  Object.entries(table).map(([name, row]) => vendorOfRow(name, row)),
);
