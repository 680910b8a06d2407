--[[ Prolongs a hold's lease and, if more is certain by now, raises what a dead hold is settled at.
  KEYS[1] hold of the call   [2] holds of the shard
  ARGV[1] call id   [2] lease (ms)   [3] floor (nanos), "" to leave it   [4] draft event (JSON), "" to leave it   [5] now (ms), 0: Redis' clock
  Returns {"renewed"} | {"gone"} ]]
local seen = redis.call('HMGET', KEYS[1], 'nanos', 'floor')
if not seen[1] then return {'gone'} end
local now = tonumber(ARGV[5])
if now == 0 then local t = redis.call('TIME'); now = t[1] * 1000 + math.floor(t[2] / 1000) end
-- A lease is never shortened: a task has a longer one than the call that created it.
local expiry = now + tonumber(ARGV[2])
if expiry > tonumber(redis.call('ZSCORE', KEYS[2], ARGV[1]) or 0) then
  redis.call('ZADD', KEYS[2], 'XX', string.format('%.0f', expiry), ARGV[1])
end
-- Decimal strings without leading zeros: the longer is the greater.
local function greater(a, b) return #a > #b or (#a == #b and a > b) end
if ARGV[3] ~= '' and greater(ARGV[3], seen[2]) then
  local floor = ARGV[3]
  if greater(floor, seen[1]) then floor = seen[1] end
  redis.call('HSET', KEYS[1], 'floor', floor)
  if ARGV[4] ~= '' then redis.call('HSET', KEYS[1], 'draft', ARGV[4]) end
end
return {'renewed'}
