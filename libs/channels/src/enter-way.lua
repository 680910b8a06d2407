--[[ Lets one attempt through a channel, across all replicas: every seat that it needs and its turn in the minute, or
  nothing at all. A seat that is not renewed expires.
  KEYS[1] the channel's minute (when it would be idle, ms, as in a leaky bucket)
  KEYS[2..] sets of seats (zset: permit -> expiry ms)
  ARGV[1] permit   [2] lease (ms)   [3] requests per minute, 0: no limit   [4..] seats of each set, in the order of KEYS
  Returns {"taken"} | {"full", which set, from 1} | {"minute", ms until the next turn} ]]
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
for at = 2, #KEYS do
  redis.call('ZREMRANGEBYSCORE', KEYS[at], '-inf', now)
  if redis.call('ZCARD', KEYS[at]) >= tonumber(ARGV[at + 2]) then return {'full', at - 1} end
end
local perMinute = tonumber(ARGV[3])
if perMinute > 0 then
  local each = 60000 / perMinute
  local idle = math.max(now, tonumber(redis.call('GET', KEYS[1]) or '0'))
  local wait = idle + each - now - 60000
  -- What rounding leaves over is no wait.
  if wait > 0.5 then return {'minute', math.ceil(wait)} end
  redis.call('SET', KEYS[1], string.format('%.3f', idle + each), 'PX', 120000)
end
for at = 2, #KEYS do
  redis.call('ZADD', KEYS[at], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1])
  redis.call('PEXPIRE', KEYS[at], tonumber(ARGV[2]) * 2)
end
return {'taken'}
