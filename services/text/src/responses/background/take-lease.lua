--[[ Adds a background response to those of its token and creates its lease, unless the token already has maxOpen. The
     time is that of Redis' clock.
  lease: "run", later "cancel", "deleted" or "failed"
  open: the token's background responses (zset: id -> end of the lease in ms) ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('ZREMRANGEBYSCORE', open, '-inf', string.format('%.0f', now))
if redis.call('ZCARD', open) >= maxOpen then return {'full'} end
redis.call('ZADD', open, string.format('%.0f', now + leaseMs), id)
redis.call('PEXPIRE', open, leaseMs * 2)
redis.call('SET', lease, 'run', 'PX', leaseMs)
return {'taken'}
