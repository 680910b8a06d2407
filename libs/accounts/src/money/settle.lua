--[[ Takes a call's true cost, gives the rest of its hold back, and writes the usage event to the outbox. Once: whoever
     finds the hold settles it, everybody later finds it gone.
  KEYS[1] account   [2] hold of the call   [3] holds of the shard   [4] outbox of the shard   [5] token bucket
  ARGV[1] call id   [2] cost (nanos)   [3] event (JSON, without its cost)   [4] tokens used
  ARGV[5] now (ms), 0: Redis' clock   [6] "1": only if the hold's lease has run out
  Returns {"settled", outbox entry id, nanos that the account could not cover} | {"gone"} | {"leased"} ]]
local found = redis.call('HMGET', KEYS[2], 'nanos', 'tokens', 'limit')
local held = found[1]
if not held then return {'gone'} end
local now = tonumber(ARGV[5])
if now == 0 then local t = redis.call('TIME'); now = t[1] * 1000 + math.floor(t[2] / 1000) end
if ARGV[6] == '1' and tonumber(redis.call('ZSCORE', KEYS[3], ARGV[1]) or 0) > now then return {'leased'} end
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])

if held ~= '0' then
  redis.call('HINCRBY', KEYS[1], 'held', '-' .. held)
  redis.call('HINCRBY', KEYS[1], 'available', held)
end
local uncovered = '0'
if ARGV[2] ~= '0' then
  redis.call('HINCRBY', KEYS[1], 'spent', ARGV[2])
  redis.call('HINCRBY', KEYS[1], 'available', '-' .. ARGV[2])
  local left = redis.call('HGET', KEYS[1], 'available') -- as text: a Lua number is exact to 2^53 only
  if string.sub(left, 1, 1) == '-' then
    uncovered = string.sub(left, 2)
    redis.call('HINCRBY', KEYS[1], 'available', uncovered)
    redis.call('HINCRBY', KEYS[1], 'spent', left)
  end
end

local capacity, change = tonumber(found[3]), tonumber(found[2]) - tonumber(ARGV[4])
if capacity > 0 and change ~= 0 and redis.call('EXISTS', KEYS[5]) == 1 then
  local level = tonumber(redis.call('HGET', KEYS[5], 't') or capacity) + change
  redis.call('HSET', KEYS[5], 't', tostring(level))
  redis.call('PEXPIRE', KEYS[5], math.min(86400000, math.ceil(math.max(0, capacity - level) * 60000 / capacity) + 60000))
end
return {'settled', redis.call('XADD', KEYS[4], '*', 'event', ARGV[3], 'cost', ARGV[2], 'uncovered', uncovered), uncovered}
