import { expectTypeOf, test } from "vitest";
import { endpoints, type Endpoint } from "@modelgate/contracts";
import type { AreaHandlers } from "@modelgate/platform";
import type { routes } from "../src/routes.ts";

/*
 * Checks of the types for a new endpoint: its row in the table of endpoints requires a handler in every service of its
 * area. `pnpm lint` reports a missing handler, and an expected type error that does not occur.
 */
const toy = {
  method: "GET",
  path: "/v1/toy",
  area: "text",
  errors: "common",
  keys: ["authorization"],
  body: "none",
  summary: "A toy.",
} as const satisfies Endpoint;
const withToy = { ...endpoints, toy } as const;
const withToyOfVideo = { ...endpoints, toy: { ...toy, area: "video" } } as const;

type Handled = ReturnType<typeof routes>;

test("the handlers of an area match its rows", () => {
  expectTypeOf<Handled>().toExtend<AreaHandlers<"text">>();
});

test("a row without a handler does not compile in its area's service", () => {
  // @ts-expect-error: `toy` has no handler
  expectTypeOf<Handled>().toExtend<AreaHandlers<"text", typeof withToy>>();
});

test("a row with its handler compiles, and a row of another area needs none", () => {
  expectTypeOf<Handled & { readonly toy: Handled["listModels"] }>().toExtend<AreaHandlers<"text", typeof withToy>>();
  expectTypeOf<Handled>().toExtend<AreaHandlers<"text", typeof withToyOfVideo>>();
});
