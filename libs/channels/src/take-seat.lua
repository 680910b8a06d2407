--[[ Takes a seat on a channel's concurrency, across all replicas. A seat that is not renewed expires.
  KEYS[1] seats of the channel (zset: permit -> expiry ms)
  ARGV[1] permit   [2] seats   [3] lease (ms)
  Returns {"taken"} | {"full"} ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[2]) then return {'full'} end
redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[3])), ARGV[1])
redis.call('PEXPIRE', KEYS[1], tonumber(ARGV[3]) * 2)
return {'taken'}
