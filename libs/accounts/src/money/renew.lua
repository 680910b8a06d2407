--[[ Extends a hold's lease. If `floor` is above the stored floor, stores it with the draft of its event: a hold whose
     lease has expired is settled at its floor.
  hold hash   holds zset: call id -> lease expiry (ms) ]]
local seen = redis.call('HMGET', hold, 'nanos', 'floor')
if not seen[1] then return {'gone'} end
local expiry = clock(nowMs) + leaseMs
-- A lease is never shortened: the lease of a task is longer than that of the call that created it.
if expiry > tonumber(redis.call('ZSCORE', holds, callId) or 0) then
  redis.call('ZADD', holds, 'XX', string.format('%.0f', expiry), callId)
end
-- Compares decimal strings without leading zeros: the longer one is greater.
local function greater(a, b) return #a > #b or (#a == #b and a > b) end
if floor and greater(floor, seen[2]) then
  redis.call('HSET', hold, 'floor', greater(floor, seen[1]) and seen[1] or floor)
  if draft then redis.call('HSET', hold, 'draft', draft) end
end
return {'renewed'}
