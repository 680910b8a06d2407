--[[ Counts the bytes of one record of stored content; see content.lua. Requires content.lua.
  required: the record may grow beyond the limits ]]
local limits = not required and {maxBytes = maxBytes, maxRecords = maxRecords} or nil
local change = {record = record, bytes = bytes, adds = adds, lifetimeMs = lifetimeMs, limits = limits, nowMs = nowMs}
return {countContent(sizes, expiries, change) and 'counted' or 'full'}
