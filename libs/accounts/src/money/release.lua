--[[ Gives a hold back whole, with the tokens that it reserved of the token's minute: nothing was bought with it, so it
     leaves no usage event (budgets.lua comes before this).
  account hash   hold hash   holds zset: call id -> lease expiry (ms)   bucket hash: t level ]]
local found = redis.call('HMGET', hold, 'nanos', 'tokens', 'limit', 'budgets')
local nanos, tokens, capacity = found[1], tonumber(found[2]), tonumber(found[3])
if not nanos then return {'gone'} end
redis.call('DEL', hold)
redis.call('ZREM', holds, callId)
if nanos ~= '0' then
  redis.call('HINCRBY', account, 'held', '-' .. nanos)
  redis.call('HINCRBY', account, 'available', nanos)
  give_back(budgets_of(found[4]), nanos)
end
if capacity > 0 and tokens > 0 and redis.call('EXISTS', bucket) == 1 then
  local level = math.min(capacity, tonumber(redis.call('HGET', bucket, 't') or capacity) + tokens)
  redis.call('HSET', bucket, 't', tostring(level))
end
return {'released'}
