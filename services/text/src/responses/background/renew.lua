--[[ Keeps a background response's lease and seat, and says whether it is to be cancelled. A lease that ran out is not
     taken again: the response may have been given up already.
  lease: "run" or "cancel"
  open: the token's background responses (zset: id -> end of its lease in ms) ]]
local state = redis.call('GET', lease)
if not state then return {'lost'} end
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('PEXPIRE', lease, leaseMs)
redis.call('ZADD', open, string.format('%.0f', now + leaseMs), id)
redis.call('PEXPIRE', open, leaseMs * 2)
if state == 'cancel' then return {'cancelled'} end
return {'renewed'}
