// What requests name in a vendor's store.
export { vendorIdsIn, mostVendorIds, type VendorId } from "./find.ts";
export { asksToMake, madeIn, mayTellMade, type MadeId, type MakingWire } from "./made.ts";
export { storeMembers, type StoreDialect, type VendorStore } from "./members.ts";
export { formAsBody } from "./form-body.ts";
