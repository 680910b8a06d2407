import { expect, test } from "vitest";
import { vendorCompactionExchange } from "../../src/responses/compaction/native-compaction.ts";

test("of a compaction's tools, only members that choose a model are checked", async () => {
  const chosen = { path: "models", choosesModel: true, maxCalls: 0 } as const;
  const tools = [{ path: "tools[0]", unit: "webSearches" }, chosen] as const;
  const target = { model: "m", foreignItems: new Set<string>() };
  const body = Buffer.from('{"model":"m","input":"Hi"}');
  const exchange = await vendorCompactionExchange(body, { model: "m", target, fees: { tools, tiers: [] } });
  expect(exchange.requestedFees).toEqual({ tools: [chosen], tiers: [] });
});
