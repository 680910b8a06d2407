--[[ Adds money to an account, or takes some away, once by operation id. Never takes more than is available. The change
     is stored among the credits and, as an event, in the outbox (receipt.lua and record-credit.lua come before this).
  account hash   credits hash: operation id -> entry (JSON) with its receipt   outbox stream
  nanos may be negative   bound: most entries
  replaces: hash of the receipt that it had in a Redis that was lost; then it is applied whatever is available ]]
if redis.call('EXISTS', account) == 0 then return {'no-account'} end
if redis.call('HEXISTS', credits, operation) == 1 then return {'credited-before'} end
if redis.call('HLEN', credits) >= bound then return {'too-many'} end
-- All that an account was ever given stays below Redis' 64-bit integers, and so does everything it can spend.
if tonumber(redis.call('HGET', account, 'credited')) + tonumber(nanos) > 8e18 then return {'too-large'} end
redis.call('HINCRBY', account, 'available', nanos)
if not replaces and string.sub(nanos, 1, 1) == '-' and string.sub(redis.call('HGET', account, 'available'), 1, 1) == '-' then
  redis.call('HINCRBY', account, 'available', string.sub(nanos, 2))
  return {'too-low'}
end
redis.call('HINCRBY', account, 'credited', nanos)
record_credit({account = account, credits = credits, outbox = outbox}, operation, nanos, entry, replaces)
return {'credited'}
