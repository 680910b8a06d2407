// What requests name in a vendor's store.
export { vendorIdsIn, mostVendorIds, type VendorId } from "./find.ts";
export { asksToMake, isMakingWire, madeIn, mayNameMade, type MadeId } from "./made.ts";
export { storeMembers, type StoreDialect, type VendorStore } from "./members.ts";
export { formAsBody } from "./form-body.ts";
