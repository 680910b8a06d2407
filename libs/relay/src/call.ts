import type { CatalogModel, Group } from "@modelgate/catalog";
import type { ServiceCall } from "@modelgate/platform";

/** An incoming call: its caller, its endpoint and its sink. */
export type Call = Pick<
  ServiceCall,
  "answer" | "caller" | "ending" | "endpoint" | "id" | "log" | "requestId" | "strict"
> &
  Partial<Pick<ServiceCall, "facts" | "span">>;

/** Model that serves a call, and its price for the caller. */
export interface ServingModel {
  readonly model: CatalogModel;
  /** Price multiplier of the caller's group. */
  readonly multiplier: number;
  /** Name of the model in the client's request, if it differs. */
  readonly requested?: string | undefined;
  /** Treatment of tools and service tiers for which the model has no price. */
  readonly unpriced: Group["unpriced"];
}
