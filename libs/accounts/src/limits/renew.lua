--[[ Extends the lease of a seat. A seat that was removed after its lease is not restored. Requires clock.lua.
  seats zset: seatId -> expiry (ms) ]]
redis.call('ZADD', seats, 'XX', string.format('%.0f', clock(nowMs) + leaseMs), seatId)
redis.call('PEXPIRE', seats, leaseMs * 2, 'GT')
return {'renewed'}
