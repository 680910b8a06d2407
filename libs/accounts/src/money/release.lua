--[[ Gives a hold back whole, with its tokens of the token's minute: nothing was bought with it, so no event tells of it
     (budgets.lua comes before this).
  KEYS[1] account   [2] hold of the call   [3] holds of the shard   [4] token bucket
  ARGV[1] call id
  Returns {"released"} | {"gone"} ]]
local found = redis.call('HMGET', KEYS[2], 'nanos', 'tokens', 'limit', 'budgets')
if not found[1] then return {'gone'} end
redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
if found[1] ~= '0' then
  redis.call('HINCRBY', KEYS[1], 'held', '-' .. found[1])
  redis.call('HINCRBY', KEYS[1], 'available', found[1])
  give_back(budgets_of(found[4] or ''), found[1])
end
local capacity, tokens = tonumber(found[3]), tonumber(found[2])
if capacity > 0 and tokens > 0 and redis.call('EXISTS', KEYS[4]) == 1 then
  local level = math.min(capacity, tonumber(redis.call('HGET', KEYS[4], 't') or capacity) + tokens)
  redis.call('HSET', KEYS[4], 't', tostring(level))
end
return {'released'}
