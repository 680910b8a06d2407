--[[ Admits one attempt to a channel, across all replicas: takes all seats that it needs and counts it against the
     limit per minute, or changes nothing. A seat that is not renewed expires.
  minute: time at which the channel's minute is unused again (ms), as in a leaky bucket   perMinute: 0 means unlimited
  seats: sets of seats (zset: seatId -> expiry ms)   maxSeats: number of seats of each set
  Returns the number of the full set, from 1, or the time until the next request may be sent. ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
for at, set in ipairs(seats) do
  redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
  if redis.call('ZCARD', set) >= maxSeats[at] then return {'full', set = at} end
end
if perMinute > 0 then
  local intervalMs = 60000 / perMinute
  local idleAt = math.max(now, tonumber(redis.call('GET', minute) or '0'))
  local wait = idleAt + intervalMs - now - 60000
  if wait > 0.5 then return {'minute', waitMs = math.ceil(wait)} end -- less than that is rounding
  redis.call('SET', minute, string.format('%.3f', idleAt + intervalMs), 'PX', 120000)
end
for _, set in ipairs(seats) do
  redis.call('ZADD', set, string.format('%.0f', now + leaseMs), seatId)
  redis.call('PEXPIRE', set, leaseMs * 2)
end
return {'taken'}
