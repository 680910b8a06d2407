--[[ Extends a background response's lease and its entry in `open`. Returns `cancelled` if the response is to be
     cancelled, `deleted` if it must not be stored, and `lost` if the lease has expired. An expired lease is not taken
     again: another process may have marked the response as failed.
  lease: "run", "cancel" or "deleted"
  open: the token's background responses (zset: id -> end of the lease in ms) ]]
local state = redis.call('GET', lease)
if not state then return {'lost'} end
if state == 'deleted' then return {'deleted'} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('PEXPIRE', lease, leaseMs)
redis.call('ZADD', open, string.format('%.0f', now + leaseMs), id)
redis.call('PEXPIRE', open, leaseMs * 2)
if state == 'cancel' then return {'cancelled'} end
return {'renewed'}
