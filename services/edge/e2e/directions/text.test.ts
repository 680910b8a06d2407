import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Suite } from "@modelgate/testkit";
import { clients } from "./clients/index.ts";
import { keyOf, startHouse } from "./house.ts";
import { forbidWarnings } from "./quiet.ts";
import { vendors } from "./vendors.ts";

let suite: Suite;
beforeAll(async () => {
  suite = await startHouse();
});
afterAll(() => suite?.[Symbol.asyncDispose]());
forbidWarnings();

const key = keyOf("demo");

describe.each(clients)("$name", (client) => {
  describe.each(vendors)("to $name", ({ name: model }) => {
    describe.each([false, true])("streamed: %s", (stream) => {
      test("plain text", async () => {
        const heard = await client.ask(suite, key, { model, stream, said: [{ text: "Hello" }] });
        expect(heard).toMatchObject({ text: "You said: Hello", finish: client.endings.stop, calls: [], dropped: [] });
      });
    });
  });
});
