--[[ Extends the leases of a call's seats, by Redis' clock. A seat that has expired is taken again, because the call is
     still open.
  seats: sets of seats (zset: seatId -> expiry ms) ]]
local t = redis.call('TIME')
local expiry = string.format('%.0f', t[1] * 1000 + t[2] / 1000 + leaseMs)
for _, set in ipairs(seats) do
  redis.call('ZADD', set, expiry, seatId)
  redis.call('PEXPIRE', set, leaseMs * 2)
end
return {'renewed'}
