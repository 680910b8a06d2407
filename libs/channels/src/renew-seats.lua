--[[ Keeps a call's seats for another lease, by Redis' own clock. A seat that lapsed meanwhile is taken again: the call is
     still there.
  seats: sets of seats (zset: permit -> expiry ms) ]]
local t = redis.call('TIME')
local expiry = string.format('%.0f', t[1] * 1000 + t[2] / 1000 + leaseMs)
for _, set in ipairs(seats) do
  redis.call('ZADD', set, expiry, permit)
  redis.call('PEXPIRE', set, leaseMs * 2)
end
return {'renewed'}
