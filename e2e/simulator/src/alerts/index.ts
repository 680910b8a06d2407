import type { Vendor } from "../vendor.ts";
import { feishu } from "./feishu.ts";
import { pagerduty } from "./pagerduty.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { webhook } from "./webhook.ts";

/** All receivers of alerts. */
export const receivers: readonly Vendor[] = [webhook, slack, teams, feishu, pagerduty];
