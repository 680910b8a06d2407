--[[ Extends a background response's lease and its entry in `open`, or takes an expired lease again. Returns
     `cancelled` if the response is to be cancelled, `deleted` if it must not be stored, and `lost` if another process
     has marked it as failed.
  lease: "run", "cancel", "deleted" or "failed"
  open: the token's background responses (zset: id -> end of the lease in ms) ]]
local state = redis.call('GET', lease)
if state == 'failed' then return {'lost'} end
if state == 'deleted' then return {'deleted'} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('SET', lease, state or 'run', 'PX', leaseMs)
redis.call('ZADD', open, string.format('%.0f', now + leaseMs), id)
redis.call('PEXPIRE', open, leaseMs * 2)
if state == 'cancel' then return {'cancelled'} end
return {'renewed'}
