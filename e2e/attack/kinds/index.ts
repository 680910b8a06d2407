import type { Attack } from "../attack.ts";
import { blameAttacks } from "./blame.ts";
import { bodyAttacks } from "./bodies.ts";
import { booksAttacks } from "./books.ts";
import { boundAttacks } from "./bounds.ts";
import { contentAttacks } from "./content.ts";
import { feeAttacks } from "./fees.ts";
import { framingAttacks } from "./framing.ts";
import { fuzzAttacks } from "./fuzz.ts";
import { disconnectAttacks } from "./disconnects.ts";
import { narrowedAttacks } from "./narrowed.ts";
import { operatorAttacks } from "./operators.ts";
import { sessionAttacks } from "./sessions.ts";
import { ssrfAttacks } from "./ssrf.ts";
import { tenancyAttacks } from "./tenancy.ts";
import { vendorAttacks } from "./vendors.ts";

/** All attacks in the order in which they run. Attacks that leave something unavailable for long are last. */
export const attacks: readonly Attack[] = [
  ...boundAttacks,
  ...disconnectAttacks,
  ...feeAttacks,
  ...sessionAttacks,
  ...tenancyAttacks,
  ...booksAttacks,
  ...narrowedAttacks,
  ...operatorAttacks,
  ...contentAttacks,
  ...framingAttacks,
  ...ssrfAttacks,
  ...fuzzAttacks,
  ...vendorAttacks,
  ...blameAttacks,
  ...bodyAttacks,
];
