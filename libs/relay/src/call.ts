import type { CatalogModel, Group } from "@modelgate/catalog";
import type { ServiceCall } from "@modelgate/platform";

/** An incoming call, with its caller, its endpoint and the sink of its answer. */
export type Call = Pick<
  ServiceCall,
  "answer" | "caller" | "ending" | "endpoint" | "id" | "log" | "refusesUnsupported" | "requestId"
> &
  Partial<Pick<ServiceCall, "facts" | "span">>;

/** A model that may serve a call, and the price factors of the caller. */
export interface ServingModel {
  readonly model: CatalogModel;
  /** Price multiplier of the caller's group. */
  readonly multiplier: number;
  /** Name that the client used, if it is not the name of `model`. */
  readonly requested?: string | undefined;
  /** Rule of the caller's group for tools and service tiers without a price. */
  readonly unpriced: Group["unpriced"];
}
