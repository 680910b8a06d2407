// What requests name in a vendor's store.
export { vendorIdsIn, maxVendorIds, type VendorId } from "./find.ts";
export type { VendorStore } from "./members.ts";
export { madeIn, mayNameMade, type MadeId, type MadeReader } from "./members.ts";
export { plainDialect, storeMembers, type StoreDialect } from "./members.ts";
export { formAsBody } from "./form-body.ts";
