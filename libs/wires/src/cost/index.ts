// What a call costs, written beside the usage of its answer.
export { framesWithCost, withCost } from "./with-cost.ts";
