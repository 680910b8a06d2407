--[[ Prolongs a hold's lease and, if `floor` is above what is known, raises what a dead hold is settled at, with the
     draft of its event.
  hold hash   holds zset: call id -> lease expiry (ms) ]]
local seen = redis.call('HMGET', hold, 'nanos', 'floor')
if not seen[1] then return {'gone'} end
local expiry = clock(nowMs) + leaseMs
-- A lease is never shortened: a task has a longer one than the call that created it.
if expiry > tonumber(redis.call('ZSCORE', holds, callId) or 0) then
  redis.call('ZADD', holds, 'XX', string.format('%.0f', expiry), callId)
end
-- Decimal strings without leading zeros: the longer is the greater.
local function greater(a, b) return #a > #b or (#a == #b and a > b) end
if floor and greater(floor, seen[2]) then
  redis.call('HSET', hold, 'floor', greater(floor, seen[1]) and seen[1] or floor)
  if draft then redis.call('HSET', hold, 'draft', draft) end
end
return {'renewed'}
