import { afterAll, beforeAll } from "vitest";
import { startSuite, type Suite } from "@modelgate/testkit";
import { config } from "./house.ts";
import { moneyRaceTests } from "./money-race.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startSuite({ config });
});
afterAll(() => suite?.[Symbol.asyncDispose]());

moneyRaceTests(() => suite);
