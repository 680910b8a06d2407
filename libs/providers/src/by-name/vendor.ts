import type { UpstreamWire } from "@modelgate/contracts";
import { openaiPaths } from "../openai/index.ts";
import { failureOf } from "../openai/failures.ts";
import type { VendorCall } from "../call.ts";
import type { Provider } from "../provider.ts";
import { requestBuilder } from "../request.ts";
import type { VendorRow } from "./row.ts";
import { chineseVendors } from "./chinese.ts";
import { hostedVendors } from "./hosted.ts";
import { selfHostedVendors } from "./self-hosted.ts";

/** Version of the messages wire, unless the client names one. */
const messagesVersion = "2023-06-01";

const defaultPaths: Readonly<Partial<Record<UpstreamWire, string>>> = {
  ...openaiPaths,
  messages: "/messages",
  "count-messages": "/messages/count_tokens",
};

/** Creates the provider of a row. */
export function vendorOfRow(name: string, row: VendorRow): Provider {
  const { title, baseUrl, keyVariable, isLocal, wires, dialect, modelsAt = "/models", pricesAs } = row;
  const paths = { ...defaultPaths, ...row.paths };
  const knownWires = Object.keys(defaultPaths).filter((wire): wire is UpstreamWire => wire in defaultPaths);
  return {
    name,
    title,
    baseUrl,
    keyVariable,
    isLocal,
    pricesAs,
    dialect,
    wires,
    moreWires: knownWires.filter((wire) => !wires.includes(wire)),
    modelsAt: modelsAt === "none" ? undefined : modelsAt,
    request: requestBuilder(({ baseUrl: base, wire, model }) => {
      const url = new URL(`${base.replace(/\/+$/, "")}${paths[wire] ?? ""}`);
      if (wire === "realtime") url.searchParams.set("model", model);
      return url;
    }, headersOf),
    failureOf,
  };
}

/** Returns the headers with the key. On the messages wire, some vendors read `authorization`, others `x-api-key`. */
function headersOf(call: VendorCall): Readonly<Record<string, string>> {
  const authorization = `Bearer ${call.key}`;
  if (call.wire !== "messages" && call.wire !== "count-messages") return { authorization };
  return { authorization, "x-api-key": call.key, "anthropic-version": messagesVersion };
}

const vendorTables: readonly Readonly<Record<string, VendorRow>>[] = [hostedVendors, chineseVendors, selfHostedVendors];

/** All vendors that need no code. */
export const rowVendors: readonly Provider[] = vendorTables.flatMap((table) =>
  Object.entries(table).map(([name, row]) => vendorOfRow(name, row)),
);
