--[[ Lets one attempt through to a channel, across all replicas: every seat that it needs and its turn in the minute, or
     nothing at all. A seat that is not renewed expires.
  minute: when the channel's minute would be idle (ms), as in a leaky bucket   perMinute of 0 is no limit
  seats: sets of seats (zset: permit -> expiry ms)   bounds: how many seats each of them has
  Returns which set is full, from 1, or how long until the next turn. ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
for at, set in ipairs(seats) do
  redis.call('ZREMRANGEBYSCORE', set, '-inf', now)
  if redis.call('ZCARD', set) >= bounds[at] then return {'full', set = at} end
end
if perMinute > 0 then
  local each = 60000 / perMinute
  local idle = math.max(now, tonumber(redis.call('GET', minute) or '0'))
  local wait = idle + each - now - 60000
  if wait > 0.5 then return {'minute', waitMs = math.ceil(wait)} end -- less than that is rounding
  redis.call('SET', minute, string.format('%.3f', idle + each), 'PX', 120000)
end
for _, set in ipairs(seats) do
  redis.call('ZADD', set, string.format('%.0f', now + leaseMs), permit)
  redis.call('PEXPIRE', set, leaseMs * 2)
end
return {'taken'}
