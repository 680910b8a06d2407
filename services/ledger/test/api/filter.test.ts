import { expect, test } from "vitest";
import { Failure } from "@modelgate/contracts";
import { fieldFilterOf } from "../../src/api/filter.ts";

test.each(["organisation=acme", "account=wallet"])("teams of %s are filters", (owner) => {
  expect(fieldFilterOf(new URLSearchParams(`team=search,ads&${owner}`))).toMatchObject({ teams: ["search", "ads"] });
});

test("a team without an organisation is refused, because others may have a team with its id", () => {
  const read = () => fieldFilterOf(new URLSearchParams("team=search"));
  expect(read).toThrow(Failure);
  expect(read).toThrow(expect.objectContaining({ code: "missing_required_parameter", param: "organisation" }));
});
