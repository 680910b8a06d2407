import { Type, type Static } from "typebox";

const amount = (description: string) => Type.Optional(Type.String({ pattern: "^\\d{1,19}$", description }));

/**
 * What may be spent beside the account's balance, in nano-dollars: by one token, by one token and those that
 * members of the account made within its limits, and by all tokens of an account in one group. Days and months are those of UTC. A budget counts from the moment it is set.
 */
export const Budgets = Type.Object(
  {
    tokenPerDay: amount("by the token, a day"),
    tokenPerMonth: amount("by the token, a month"),
    within: Type.Optional(Type.String({ description: "the token of an operator whose budget this one shares" })),
    withinPerDay: amount("by that token and all that share its budget, a day"),
    withinPerMonth: amount("by that token and all that share its budget, a month"),
    groupPerDay: amount("by the account's tokens of the group, a day"),
    groupPerMonth: amount("by the account's tokens of the group, a month"),
  },
  { $id: "Budgets", additionalProperties: false },
);
export type Budgets = Static<typeof Budgets>;
