--[[ Counts a record of an account's stored content against the account's limits (clock.lua comes before this). Releases
     the shares of expired records first. Never refuses a record that does not grow, or one that is `required`.
  sizes hash: record -> bytes, '' -> the sum of all   expiries zset: record -> time of expiry (ms)
  bytes: size of the record, or the increase with `adds`; 0 removes the record ]]
local now = clock(nowMs)
local total = tonumber(redis.call('HGET', sizes, '') or '0')
local function forget(name)
  total = total - tonumber(redis.call('HGET', sizes, name) or '0')
  redis.call('HDEL', sizes, name)
  redis.call('ZREM', expiries, name)
end
for _, name in ipairs(redis.call('ZRANGEBYSCORE', expiries, '-inf', now, 'LIMIT', 0, 1000)) do forget(name) end
local before = tonumber(redis.call('HGET', sizes, record) or '0')
local after = bytes
if adds then after = math.max(0, before + bytes) end
local isFull = total - before + after > maxBytes or (before == 0 and redis.call('ZCARD', expiries) >= maxRecords)
if after > before and isFull and not required then
  redis.call('HSET', sizes, '', string.format('%.0f', total))
  return {'full'}
end
if after == 0 then
  forget(record)
else
  total = total - before + after
  redis.call('HSET', sizes, record, string.format('%.0f', after))
  redis.call('ZADD', expiries, string.format('%.0f', now + lifetimeMs), record)
end
redis.call('HSET', sizes, '', string.format('%.0f', total))
local last = redis.call('ZREVRANGE', expiries, 0, 0, 'WITHSCORES')[2]
local keptMs = math.max(1000, tonumber(last or now) - now)
redis.call('PEXPIRE', sizes, string.format('%.0f', keptMs))
redis.call('PEXPIRE', expiries, string.format('%.0f', keptMs))
return {'kept'}
