--[[ Adds a client secret, unless the account has its maximum of secrets that have not expired. Requires clock.lua.
  secrets zset: id of a secret's settings -> expiry (ms) ]]
local now = clock(nowMs)
redis.call('ZREMRANGEBYSCORE', secrets, '-inf', now)
if redis.call('ZCARD', secrets) >= maxSecrets then return {'full'} end
redis.call('ZADD', secrets, string.format('%.0f', now + lifetimeMs), id)
local last = redis.call('ZREVRANGE', secrets, 0, 0, 'WITHSCORES')[2]
redis.call('PEXPIRE', secrets, string.format('%.0f', math.max(1000, last - now)))
return {'counted'}
