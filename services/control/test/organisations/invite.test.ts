import { expect, test, vi } from "vitest";
import type { Sessions } from "../../src/console/sessions.ts";
import type { People } from "../../src/operators/people.ts";
import { invitePerson } from "../../src/organisations/invite.ts";

const tom = { actor: "tom", operator: { name: "tom", role: "operator" as const, account: "organisation:acme" } };
const eve = { name: "eve", role: "operator" as const, account: "organisation:acme" };

/** Returns people and sessions that record their calls. */
function recording({ hasPassword = false } = {}) {
  const acts: string[] = [];
  const people = { find: async () => ({ ...eve, disabled: false, hasPassword }) };
  const sessions = {
    revoke: async () => void acts.push("revoke"),
    endKeys: async () => void acts.push("end keys"),
    makeLink: async () => {
      acts.push("link");
      return { link: "secret", expiresAt: "2030-01-01T00:00:00Z" };
    },
  };
  const grant = async (): Promise<void> => void acts.push("grant");
  return {
    acts,
    grant,
    deps: { people: people as unknown as People, sessions: sessions as unknown as Sessions, consoleUrl: undefined },
  };
}

test("access is given before earlier links end, so that no earlier link has it", async () => {
  const { acts, grant, deps } = recording();
  const created = await invitePerson(deps, eve, tom, { administersAll: async () => true, grant });
  expect(created).toMatchObject({ role: "operator", url: "/console/sign-in#secret" });
  expect(acts).toEqual(["grant", "revoke", "link"]);
});

test("a person with a password gets no link, and the keys of earlier access end", async () => {
  const { acts, grant, deps } = recording({ hasPassword: true });
  const created = await invitePerson(deps, eve, tom, { administersAll: async () => true, grant });
  expect(created).toEqual({ role: "operator", url: null, expiresAt: null });
  expect(acts).toEqual(["grant", "end keys"]);
});

test("a link ends at once if the person got more access while it was made", async () => {
  const { acts, grant, deps } = recording();
  const administersAll = vi.fn<() => Promise<boolean>>().mockResolvedValueOnce(true).mockResolvedValue(false);
  const created = invitePerson(deps, eve, tom, { administersAll, grant });
  await expect(created).rejects.toMatchObject({ code: "permission_denied" });
  expect(acts).toEqual(["grant", "revoke", "link", "revoke"]);
});
